"""Slow, obvious twins of what is prepared for a map."""

from itertools import combinations

from naive import grid_moves

import timebound as tb

Neighbours = dict[int, list[int]]


def neighbours_of(world: tb.Grid) -> Neighbours:
    """The neighbours of every free cell, in the documented order."""
    free = [int(cell) for cell in world.passable.ravel().nonzero()[0]]
    return {
        cell: [
            cell + dy * world.width + dx
            for dx, dy in grid_moves(world.passable, world.neighbors, world.corners, *world.place(cell))
        ]
        for cell in free
    }


def abstracted(below: Neighbours) -> tuple[dict[int, int], Neighbours]:
    """The abstract state of every state, and the neighbours of the abstract states."""
    cliques: list[set[int]] = []
    unclaimed = set(below)
    for size in (4, 3, 2):
        for state in sorted(below):
            others = [other for other in below[state] if other in unclaimed]
            for chosen in combinations(others, size - 1) if state in unclaimed else ():
                if all(b in below[a] for a, b in combinations(chosen, 2)):
                    cliques.append({state, *chosen})
                    unclaimed -= cliques[-1]
                    break
    for state in sorted(unclaimed):
        if len(below[state]) == 1:
            next(clique for clique in cliques if below[state][0] in clique).add(state)
        else:
            cliques.append({state})
    cliques.sort(key=min)
    parent = {state: number for number, clique in enumerate(cliques) for state in clique}
    above: Neighbours = {number: [] for number in range(len(cliques))}
    for number, clique in enumerate(cliques):
        for state in sorted(clique):
            for other in below[state]:
                if parent[other] not in (number, *above[number]):
                    above[number].append(parent[other])
    return parent, above
