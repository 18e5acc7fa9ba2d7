r"""Both views of van Seijen and Sutton 2014 along one path, each formula written once, over any numbers.

The same functions make the numbers of a path, the polynomials of a proof (:func:`free_walk`) and the expressions of a
certificate (:class:`Followed`): there each intermediate vector stands as a number, and one relation says that it is
what its formula makes of the vectors before it.

Discounts may depend on the transition: γ_t is that of the step from s_t to s_{t+1}, and a trace of s_{t−1} decays by
γ_{t−1}λ. The paper has one γ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any

from tdcert.claims import kit, models
from tdcert.claims.kit import Fraction, Model, Name, Path, Relation, Reply, Verdict, evaluate, free, its, moves_from
from tdcert.theory.expressions.notation import along as on_path
from tdcert.theory.words import counted

Vector = Sequence[Any]
STEPS = (Fraction(1, 2), Fraction(-1, 3), Fraction(2), Fraction(1, 4))
"""α_0, α_1, … along a path: of either sign, and none like another."""
LENGTH = 3
"""Episode of the paths that a model is asked about."""


@dataclass(frozen=True)
class Episode:
    """φ_0 … φ_T (``features``, d numbers each), R_1 … R_T, γ_0 … γ_{T−1}, α_0 … α_{T−1}, λ, and θ_init."""

    features: Sequence[Vector]
    rewards: Vector
    discounts: Vector
    steps: Vector
    lam: Any
    start: Vector

    @property
    def length(self) -> int:
        """T."""
        return len(self.rewards)

    def decay(self, t: int) -> Any:
        """γλ of the trace that comes to s_t."""
        return self.discounts[t - 1] * self.lam

    def value(self, theta: Vector, t: int) -> Any:
        """θᵀφ_t."""
        return reduce(add, (x * y for x, y in zip(theta, self.features[t], strict=True)))


# ---- the forward view -------------------------------------------------------------------------------


def n_step(walk: Episode, t: int, n: int, theta: Vector, end: bool = True) -> Any:
    """G_{t,θ}^{(n)} (6); without the value of the last state where ``end`` is False, which makes it the full return."""
    last = t + n - 1
    total = walk.rewards[last] + walk.discounts[last] * walk.value(theta, t + n) if end else walk.rewards[last]
    for k in reversed(range(t, last)):
        total = walk.rewards[k] + walk.discounts[k] * total
    return total


def truncated(walk: Episode, t: int, h: int, theta: Callable[[int], Vector], end: bool = True) -> Any:
    """G_t^{λ|h} (8), ``theta(k)`` being θ_k; with one vector for every k, G_t^λ (7) of an episode of h steps."""
    terms = [(1 - walk.lam) * walk.lam ** (n - 1) * n_step(walk, t, n, theta(t + n - 1)) for n in range(1, h - t)]
    last = n_step(walk, t, h - t, theta(h - 1), end)
    return reduce(add, [*terms, walk.lam ** (h - t - 1) * last if h - t > 1 else last])


def backed_up(walk: Episode, theta: Vector, t: int, error: Any) -> list[Any]:
    """θ + α_t · error · φ_t, the update (1) and (9)."""
    return [x + walk.steps[t] * (error * phi) for x, phi in zip(theta, walk.features[t], strict=True)]


# ---- the backward view ------------------------------------------------------------------------------


def td_error(walk: Episode, t: int, theta: Vector, old: Vector) -> Any:
    """δ_t (10); with ``old`` = θ_t, that of TD(λ) (3)."""
    return walk.rewards[t] + walk.discounts[t] * walk.value(theta, t + 1) - walk.value(old, t)


def accumulated(walk: Episode, t: int, before: Vector | None) -> list[Any]:
    """e_t = γλe_{t−1} + α_tφ_t (5); ``before`` is None at t = 0."""
    here = [walk.steps[t] * phi for phi in walk.features[t]]
    return here if before is None else [walk.decay(t) * x + y for x, y in zip(before, here, strict=True)]


def dutch(walk: Episode, t: int, before: Vector | None) -> list[Any]:
    """e_t (11); ``before`` is None at t = 0."""
    plain = accumulated(walk, t, before)
    if before is None:
        return plain
    less = walk.steps[t] * (walk.decay(t) * walk.value(before, t))
    return [x - less * phi for x, phi in zip(plain, walk.features[t], strict=True)]


def moved(walk: Episode, t: int, theta: Vector, old: Vector, delta: Any, e: Vector) -> list[Any]:
    """θ_{t+1} (12)."""
    carried = walk.steps[t] * (walk.value(old, t) - walk.value(theta, t))
    return [x + delta * y + carried * phi for x, y, phi in zip(theta, e, walk.features[t], strict=True)]


# ---- along a path -----------------------------------------------------------------------------------


class Followed:
    """A path of which every vector becomes a number, and ``relations`` say why.

    ``numbers`` and ``exprs``: the path in rational numbers, and in the names of a certificate. With symbols in the
    place of numbers (:func:`free_walk`) nothing is written down.
    """

    def __init__(self, numbers: Episode, exprs: Episode | None) -> None:
        self.numbers, self.exprs = numbers, exprs
        self.relations: list[Relation] = []

    @property
    def written(self) -> Episode:
        """The path in the names of a certificate."""
        assert self.exprs is not None
        return self.exprs

    def number(self, formula: Callable[..., Any], *given: Any) -> Any:
        """The value of a formula (its walk first), written down as a number with its relation."""
        return self.vector(lambda walk, *rest: [formula(walk, *rest)], *given)[0]

    def vector(self, formula: Callable[..., Sequence[Any]], *given: Any) -> list[Any]:
        """The values of a formula, each written down as :meth:`number` does."""
        values = list(formula(self.numbers, *given))
        if self.exprs is not None:
            told = formula(self.exprs, *map(_named, given))
            self.relations += [(_named(value), "=", made) for value, made in zip(values, told, strict=True)]
        return values

    def forward(self, length: int | None = None) -> list[list[list[Any]]]:
        """θ_{t,k} for 0 ≤ k ≤ t ≤ T by (9)."""
        table = [[list(self.numbers.start)]]
        for h in range(1, (length or self.numbers.length) + 1):
            row = [list(self.numbers.start)]
            for k in range(h):
                thetas = [found[-1] for found in table]
                error = self.number(
                    lambda walk, known, theta, k=k, h=h: (
                        truncated(walk, k, h, known.__getitem__) - walk.value(theta, k)
                    ),
                    thetas,
                    row[-1],
                )
                row.append(self.vector(lambda walk, theta, x, k=k: backed_up(walk, theta, k, x), row[-1], error))
            table.append(row)
        return table

    def backward(
        self, trace: Callable[..., list[Any]] = dutch, carry: bool = True, old: Vector | None = None
    ) -> tuple[list[list[Any]], list[Any], list[list[Any]]]:
        """θ_0 … θ_T, δ_0 …, e_0 … by (10), (11), (12), θ_{−1} being ``old`` (default θ_0). ``trace`` in the place of
        (11); without ``carry`` the last term of (12) is left out.
        """
        thetas, errors, traces = [list(self.numbers.start)], list[Any](), list[list[Any]]()
        before = list(self.numbers.start if old is None else old)
        for t in range(self.numbers.length):
            theta, e = thetas[-1], traces[-1] if traces else None
            errors.append(self.number(lambda walk, now, was, t=t: td_error(walk, t, now, was), theta, before))
            traces.append(self.vector(lambda walk, past, t=t: trace(walk, t, past), e))
            thetas.append(
                self.vector(
                    lambda walk, now, was, delta, along, t=t: moved(walk, t, now, was if carry else now, delta, along),
                    theta, before, errors[-1], traces[-1],
                )
            )  # fmt: skip
            before = theta
        return thetas, errors, traces

    def equal(self, one: Sequence[Any], other: Sequence[Any]) -> bool:
        """Whether two vectors are equal, which is written down too."""
        self.relations += [(_named(x), "=", _named(y)) for x, y in zip(one, other, strict=True)] if self.exprs else []
        return all(x == y for x, y in zip(one, other, strict=True))


def _named(value: Any) -> Any:
    """Numbers as the names of a certificate; lists entry by entry."""
    if isinstance(value, list | tuple):
        return [_named(x) for x in value]
    return value if value is None else Name(value)


def along(model: Model, path: Path, lam: Fraction | None = None, start: Sequence[int] | None = None) -> Followed:
    """A path of a model, with its λ (:func:`lambda_of`), steps of both signs, and θ_init without a zero."""
    T, first = len(path.actions), kit.Context(model, model.behaviour_chain.recurrent_classes[0]).along(path)
    exprs = Episode(
        [[kit.entry_of(its.phi(t), i) for i in range(model.d)] for t in range(T + 1)],
        [its.reward(t) for t in range(T)],
        [its.discount(t) for t in range(T)],
        STEPS[:T],
        models.lambda_of(model) if lam is None else lam,
        [Fraction(x) for x in start or kit.some_theta(model.d)],
    )
    numbers = replace(
        exprs,
        features=[list(evaluate(its.phi(t), first).column_entries(0)) for t in range(T + 1)],
        rewards=[evaluate(x, first)[0, 0] for x in exprs.rewards],
        discounts=[evaluate(x, first)[0, 0] for x in exprs.discounts],
    )
    return Followed(numbers, exprs)


def decide(
    model: Model,
    paths: Sequence[Path],
    statement: Callable[[Followed], object],
    detail: str,
    lam: Fraction | None = None,
    start: Sequence[int] | None = None,
) -> Verdict:
    """A statement along paths of a model: it follows each and says what is equal (:meth:`Followed.equal`)."""
    relations = list[Relation]()
    for path in paths:
        followed = along(model, path, lam, start)
        statement(followed)
        relations += [
            (left, sign, right if isinstance(right, Name) else on_path(path, right))
            for left, sign, right in followed.relations
        ]
    steps = max(len(path.actions) for path in paths)
    detail = f"{detail}, along {counted(len(paths), 'path')} of {counted(steps, 'step')}"
    return kit.decide_along(model, (), (), others=relations, detail=detail)


def some(model: Model) -> list[Path]:
    """Two paths of a model, or the one that it has."""
    return kit.some_paths(model, LENGTH, 2)


def episodes(model: Model, most: int = 200) -> list[Path]:
    """Paths of at most four steps at whose end the value is zero for every θ: it has no features, or the discount
    of the last transition is zero. Shortest first.
    """
    begun, found = [Path((s,), ()) for s in range(model.n)], list[Path]()
    for _ in range(4):
        ahead = [
            Path((*path.states, s), (*path.actions, a)) for path in begun for a, s in moves_from(model, path.states[-1])
        ]
        ends = [path for path in ahead if _ends(model, path)]
        found, begun = found + ends, [path for path in ahead if path not in ends][:most]
    return found[:most]


def _ends(model: Model, path: Path) -> bool:
    (s, last), table = path.states[-2:], model.discounts[path.actions[-1]]
    return table[s, last if table.shape[1] > 1 else 0] == 0 or not any(model.features.rows[last])


@kit.hypothesis(
    "an_episode_ends", "an episode ends within four steps, in a state without features or at a discount of zero", "§2.1"
)
def AN_EPISODE_ENDS(model: Model) -> Reply:
    return Reply(bool(found := episodes(model)), f"{counted(len(found), 'episode')} of at most four steps")


def free_walk(length: int, d: int, **given: Any) -> Followed:
    """Everything free: features, rewards, discounts, steps, λ, θ_init. ``ends``: but φ_T = 0; ``lam``: a number."""
    ring, phi, R, gamma, alpha, lam, theta = free(f=(length + 1, d), r=length, g=length, a=length, l=(), t=d)
    rows = [list(row) for row in phi.rows]
    rows = [*rows[:-1], [ring.element(0)] * d] if given.get("ends") else rows
    return Followed(Episode(rows, R, gamma, alpha, given.get("lam", lam), theta), None)


SIZES = ((1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (2, 2), (3, 2), (4, 2), (3, 3))
"""(T, d) of the proofs."""
_FREE = (
    "symbolic features, rewards, discounts by transition, steps, λ and θ_init, T transitions and d features, (T, d) = "
)


def shown_along(sentence: str, statement: Callable[[Followed], bool], **given: Any) -> kit.Proof:
    """The row of a proof: the statement along the free path of every size."""

    def along_a_free_path(length: int, d: int) -> bool:
        return statement(free_walk(length, d, **given))

    return kit.proved(f"{sentence}; {_FREE}{', '.join(map(str, SIZES))}", kit.shown(along_a_free_path, at=SIZES))


def varied(
    model: Model,
    path: Path,
    statement: Callable[[Followed], object],
    detail: str,
    sides: tuple[str, str],
    lam: Fraction | None = None,
) -> kit.Refutation:
    """The refutation of a false variant along one path; ``sides``: the names of what is not equal."""
    return kit.explained(decide(model, [path], statement, detail, lam), model, detail, *sides)
