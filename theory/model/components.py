"""Strong components of a directed graph, without SciPy, whose import takes longer than most graphs."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def strong_components(successors: Sequence[Collection[int]]) -> list[list[int]]:
    """The sets of vertices that reach each other, each after all that it leads to.

    Source: Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1, 1972, with a stack of its own.
    """
    found: list[list[int]] = []
    n, met, open_vertices = len(successors), 0, list[int]()
    order, low, place = [-1] * n, [0] * n, [0] * n  # place: among the open ones
    for root in range(n):
        walk = [(root, iter(successors[root]))] if order[root] < 0 else []
        while walk:
            vertex, rest = walk[-1]
            if order[vertex] < 0:
                order[vertex] = low[vertex] = met
                met, place[vertex] = met + 1, len(open_vertices)
                open_vertices.append(vertex)
            for other in rest:
                if order[other] < 0:
                    walk.append((other, iter(successors[other])))
                    break
                low[vertex] = min(low[vertex], low[other])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[vertex])
                if low[vertex] == order[vertex]:
                    found.append(open_vertices[place[vertex] :])
                    del open_vertices[place[vertex] :]
                    for done in found[-1]:
                        low[done] = n  # closed: no later vertex is joined to it
    return found
