"""Prepared paths: what is computed once for a map, so that every shortest path on it is found quickly.

1. `corners` has the idea: between two cells, some shortest path turns only at corners, the cells at the ends of walls.
   It makes the graph of a grid's corners (`corner_graph`), and the world of one search on it (`CornerQuery`): that
   graph, with start and goal linked to the corners around them.
2. `far_paths` gives that world a better heuristic, from the distances of all corners from a few of them, once per map
   (`Roads`), and searches: `turning_points` returns the corners of a path, and `cells_of` its cells.
3. `prepared_paths` is what users see (`World.prepare`, `Paths`): idle searches for any number of threads, versions of
   the map, costs as the user's numbers.

Case bases use the same roads for their records (`subgoals.records`), and so do searches on a world that is prepared
(`search.solver`, `search.batch`).
"""
