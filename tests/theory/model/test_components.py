"""Strong components against reach by powers of the relation."""

from random import Random

from tdcert.theory.model.components import strong_components


def test_components_are_the_classes_of_mutual_reach() -> None:
    draw = Random(20)
    for _ in range(200):
        n, share = draw.randint(1, 7), draw.random() / 2
        successors = [{j for j in range(n) if draw.random() < share} for _ in range(n)]
        reach = [{i} | to for i, to in enumerate(successors)]
        for _ in range(n):
            reach = [set().union(*(reach[j] for j in to)) for to in reach]
        found = strong_components(successors)
        classes = {frozenset(j for j in range(n) if i in reach[j] and j in reach[i]) for i in range(n)}
        assert sorted(map(sorted, found)) == sorted(map(sorted, classes))
        place = {vertex: k for k, part in enumerate(found) for vertex in part}
        assert all(place[j] <= place[i] for i in range(n) for j in successors[i])  # what it leads to stands before it


def test_long_paths_need_no_stack_of_calls() -> None:
    n = 5_000
    assert len(strong_components([[i + 1] if i + 1 < n else [] for i in range(n)])) == n
    assert len(strong_components([[(i + 1) % n] for i in range(n)])) == 1
