"""The pancake puzzle: sort a stack by flipping the pancakes above a spatula. A custom world in 30 lines.

A stack is a whole number: four bits per pancake, the topmost in the lowest bits. There are 15! = 1.3e12 stacks of 15
pancakes, so they are kept in a hash table as they are met. A move flips the top k; it undoes itself.
"""

import random
from collections.abc import Iterable, Iterator
from typing import Any

import timebound as tb


def pancake(stack: int, i: int) -> int:
    """Return the pancake at place i from the top."""
    return (stack >> (4 * i)) & 15


def turned(stack: int, k: int) -> int:
    """Return the stack after flipping its top k."""
    after = stack >> (4 * k) << (4 * k)
    for i in range(k):
        after |= pancake(stack, i) << (4 * (k - 1 - i))
    return after


def successors(world: Any, stack: int) -> Iterator[tuple[int, int]]:
    """Yield every move, and its cost."""
    for k in range(2, world.size + 1):
        yield turned(stack, k), 1


def heuristic(world: Any, stack: int) -> int:
    """The gap heuristic (Helmert 2010): two neighbours that do not belong together need a cut between them."""
    gaps = int(pancake(stack, world.size - 1) != world.size - 1)  # the largest belongs on the plate
    for i in range(world.size - 1):
        gaps += abs(pancake(stack, i) - pancake(stack, i + 1)) > 1
    return gaps


def stack_of(pancakes: Iterable[int]) -> int:
    """Return a stack as a number."""
    return sum(pancake << (4 * i) for i, pancake in enumerate(pancakes))


def pancake_world(size: int, **options: Any) -> tb.CustomWorld:
    """Return the world of all stacks of that size."""
    return tb.CustomWorld(
        successors, heuristic, data={"size": size}, branching=size - 1, reversible=True, name="pancakes", **options
    )


def main() -> None:
    """Sort a stack, with 50 expansions per move."""
    order = list(range(15))
    random.Random(1).shuffle(order)
    agent = tb.make("tb-wastar", pancake_world(15), stack_of(order), stack_of(range(15)), weight=3)
    episode = agent.run(expansions=50)
    print(f"{order} sorted in {episode.moves} moves, {episode.expansions} expansions, 50 a move")


if __name__ == "__main__":
    main()
