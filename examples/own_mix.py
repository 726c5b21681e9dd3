"""A new mix of parts in one line: a greedy time-bounded search that restarts, with Dijkstra's learning rule."""

import timebound as tb

TBR_GBFS = tb.variant("tbr-gbfs", like="tb-gbfs", learning="dijkstra", restarts=True, about="TBR(GBFS)")

if __name__ == "__main__":
    world = tb.Grid.load("harbour")
    for agent in ("tb-gbfs", TBR_GBFS):
        print(tb.make(agent, world, (12, 100), (180, 14), terrain="unknown").run(expansions=20))
