r"""Relations between expressions in a model's own quantities: how algebraic claims are decided on one model.

A claim writes its statement as relations between expressions (``theory/expressions/notation.py``; the small language of
docs/certificates.md, *Relations*):

    (its.S @ its.r + its.M @ its.V, "=", its.V)

:func:`decide_relations` evaluates both sides exactly and makes the certificate from the very same expressions, which
the independent checker evaluates again with its own code. Paths and expectations over paths are part of the language,
so forward views, traces and importance ratios are stated as the paper states them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from operator import add
from typing import Any

from flint import fmpq, fmpz, fmpz_mat

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.arithmetic.rational import to_fmpq
from tdcert.theory.certificate.bodies import about_matrix, strings
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.model.key_matrices import KeyMatrices, behaviour_matrices, theorem_matrices
from tdcert.theory.model.mdp import Kernel, Model
from tdcert.theory.model.returns import schedule_return, trace
from tdcert.theory.model.schedule import return_weights, trace_weights, weight_matrix
from tdcert.theory.verdict import Certificate, FailedRelation, Grade, Status, Verdict

Expression = Any
"""A rational string, a name, or a tuple (operation, operand, …): plain, or with the operators of ``notation.py``."""
Relation = tuple[Expression, str, Expression]
"""(left, relation, right) with relation "=", "!=", "<" or "<="."""

MAX_PATHS, MAX_NODES = 200_000, 2_000  # the bounds of docs/certificates.md
MAX_POWER, MAX_STEPS = 199, 99
"""Highest power, and most steps of an expectation, that the checker takes."""
MAX_DEPTH = 36
"""Deepest nesting of an expression: a certificate nests 40 deep, and four levels surround what it states."""
LAW_NAMES = frozenset({"d", "D", "A", "b", "C"})


@dataclass(frozen=True)
class Path:
    """s_0 a_0 s_1 a_1 …: ``actions[k]`` is taken in ``states[k]``."""

    states: tuple[int, ...]
    actions: tuple[int, ...]

    def expression(self) -> list[Any]:
        """The path as the certificate writes it."""
        return [self.states[0], *([a, s] for a, s in zip(self.actions, self.states[1:], strict=True))]


class PathScalars:
    """The numbers of a model that paths read, as scalars of python-flint, whose sums and products are the fastest."""

    def __init__(self, model: Model, theta: RationalMatrix | None) -> None:
        self.features = model.features.scalars
        self.rewards = [table.scalars for table in model.rewards]
        self.discounts = [table.scalars for table in model.discounts]
        self.lambdas = [to_fmpq(lam) for lam in model.schedule.lambdas]
        self.behaviour, self.target = model.behaviour.scalars, model.target.scalars
        self.predictions = None if theta is None else [row[0] for row in (model.features @ theta).scalars]


@dataclass
class Context:
    """Where expressions are evaluated: a model, a recurrent class, a kernel, a θ, and perhaps a path."""

    model: Model
    states: tuple[int, ...]
    kernel: str = "target"
    theta: RationalMatrix | None = None
    path: Path | None = None
    cache: dict[str, RationalMatrix] = field(default_factory=dict)
    done: dict[tuple[str | int, bool], tuple[Expression, RationalMatrix]] = field(default_factory=dict)
    """Parts that were evaluated, by their identity, which they keep while they are held here."""

    def along(self, path: Path) -> Context:
        """This context on a path."""
        there = Context(self.model, self.states, self.kernel, self.theta, path, self.cache)
        there.scalars = self.scalars
        return there

    @cached_property
    def scalars(self) -> PathScalars:
        """What every path of the context reads."""
        return PathScalars(self.model, self.theta)

    @property
    def keys(self) -> KeyMatrices[RationalMatrix]:
        """The key matrices of the class and kernel."""
        make = theorem_matrices if self.kernel == "target" else behaviour_matrices
        return make(self.model, self.states)

    @property
    def on_all_states(self) -> KeyMatrices[RationalMatrix]:
        """The key matrices with N on every state, as S and M need it: singular where a row of S or M has no sum."""
        return replace(self.keys, N=self.own_kernel.N)

    @property
    def own_kernel(self) -> Kernel:
        """The kernel that the context names."""
        return self.model.target_kernel if self.kernel == "target" else self.model.covered_kernel


def decide_relations(
    model: Model,
    relations: Sequence[Relation],
    *,
    states: Sequence[int] | None = None,
    kernel: str = "target",
    theta: Sequence[Fraction | int] | None = None,
    detail: str = "",
) -> Verdict:
    """Whether every relation holds on the model: ``holds`` with a certificate, or ``refuted`` with the first that
    fails and a certificate of its denial.

    ``states``: a recurrent class (default: the first). ``theta``: d rationals, where the expressions speak of θ.
    Raises SingularMatrixError where an expression asks for a solution that is not unique, ValueError where it has no
    value (an unknown name, shapes that do not fit), BudgetExceededError where an expectation has too many paths,
    one relation too many nodes or an expression too deep a nesting. Many relations fill several certificates.
    """
    chosen = tuple(states) if states is not None else model.behaviour_chain.recurrent_classes[0]
    column = None if theta is None else RationalMatrix.column(theta)
    context = Context(model, chosen, kernel, column)
    deepest = max(
        (_depth(side) + (sign in ("<", "<=")) for left, sign, right in relations for side in (left, right)), default=0
    )  # one more where a denial speaks of one entry
    if deepest > MAX_DEPTH:
        raise BudgetExceededError(f"an expression of {deepest} nested parts, and certificates hold at most {MAX_DEPTH}")
    for left, relation, right in relations:
        a, b = evaluate(left, context), evaluate(right, context)
        if not compare(a, relation, b):
            witness = {"left": written(left), "right": written(right), "left value": shown(a), "right value": shown(b)}
            denial = relation_certificate(context, [_denial((left, relation, right), a, b)])
            said = f"{written(left)} {relation} {written(right)} fails"
            found, other = (tuple(map(tuple, value.to_strings())) for value in (a, b))
            failed = FailedRelation(left, relation, right, found, other, said)
            return Verdict(Status.REFUTED, Grade.CERTIFIED, said, witness, certificates=(denial,), failed=failed)
    certificates = tuple(relation_certificate(context, part) for part in _parts(relations))
    plain = "the relation holds exactly" if len(relations) == 1 else f"{len(relations)} relations hold exactly"
    return Verdict(Status.HOLDS, Grade.CERTIFIED, detail or plain, certificates=certificates)


def _parts(relations: Sequence[Relation]) -> Iterator[list[Relation]]:
    """The relations in their order, in parts that the checker's bound on one certificate admits."""
    part: list[Relation] = []
    size = 0
    for relation in relations:
        nodes = _nodes(list_form(relation))
        if nodes > MAX_NODES:
            raise BudgetExceededError(f"a relation of {nodes} nodes, and a certificate holds at most {MAX_NODES}")
        if size + nodes > MAX_NODES:
            yield part
            part, size = [], 0
        part.append(relation)
        size += nodes
    yield part


def _depth(expression: Expression) -> int:
    """How many parts are nested, found without recursion."""
    deepest, open_parts = 0, [(expression, 1)]
    while open_parts:
        part, depth = open_parts.pop()
        if isinstance(part, tuple):
            deepest = max(deepest, depth)
            open_parts += [(inner, depth + 1) for inner in part]
    return deepest


def _nodes(expression: Any) -> int:
    """An expression, its parts, and theirs."""
    return 1 + (sum(map(_nodes, expression)) if isinstance(expression, list) else 0)


def _has_expectation(part: Any) -> bool:
    """Whether an expression, or a part of it, is an expectation over paths, ("E", policy, law, steps, …)."""
    return isinstance(part, (tuple, list)) and (part[:1] in (("E",), ["E"]) or any(map(_has_expectation, part)))


def relation_certificate(context: Context, relations: Sequence[Relation]) -> Certificate:
    """The certificate of kind ``relation``."""
    witness: dict[str, object] = {"relations": [list_form(relation) for relation in relations]}
    names = {name for relation in relations for name in _names(relation)}
    about: Mapping[str, Any] = {}
    if names & LAW_NAMES or any(map(_has_expectation, relations)):
        witness["stationary"] = strings(context.keys.d)
        about = about_matrix(context.states, context.kernel)
    elif context.kernel != "target":
        about = {"kernel": context.kernel}
    if context.theta is not None:
        witness["theta"] = strings(context.theta)
    return Certificate("relation", about, witness)


def _denial(relation: Relation, a: RationalMatrix, b: RationalMatrix) -> Relation:
    """What holds where the relation fails: = and != deny each other, an inequality fails at some entry."""
    left, sign, right = relation
    if sign in ("=", "!="):
        return left, "!=" if sign == "=" else "=", right
    rows, columns = a.shape
    cells = ((i, j) for i in range(rows) for j in range(columns))
    i, j = next((i, j) for i, j in cells if a[i, j] > b[i, j] or (sign == "<" and a[i, j] == b[i, j]))
    return ("entry", right, i, j), "<" if sign == "<=" else "<=", ("entry", left, i, j)


def compare(a: RationalMatrix, relation: str, b: RationalMatrix) -> bool:
    """The relation between two values of equal shape."""
    if a.shape != b.shape:
        raise ValueError(f"a relation between shapes {a.shape} and {b.shape}")
    if relation in ("=", "!="):
        return (a == b) is (relation == "=")
    difference = b - a
    entries = difference.numerator.entries()
    if relation == "<=":
        return all(x >= 0 for x in entries)
    if relation == "<":
        return all(x > 0 for x in entries)
    raise ValueError(f"unknown relation {relation!r}")


def evaluate(expression: Expression, context: Context, weighted: bool = False) -> RationalMatrix:
    """The value of an expression, exact.

    ``weighted``: it stands right of D, so that its rows in the recurrent class alone are asked for. S and M need a sum
    in these rows alone then: elsewhere they may lack one where λ = 1 without an end. A part that stands in several
    places, as θ_1 in those of θ_2, is evaluated once.
    """
    key = expression if isinstance(expression, str) else id(expression), weighted
    if key not in context.done:
        context.done[key] = expression, _evaluated(expression, context, weighted)
    return context.done[key][1]


def _evaluated(expression: Expression, context: Context, weighted: bool) -> RationalMatrix:
    if expression in ("S", "M"):
        return _product((expression, "I"), context, weighted)
    if isinstance(expression, str):
        return _number_or_name(expression, context)
    head, *rest = expression
    if head == "E":
        return _expectation(rest, context)
    if head == "on":
        path, inner = rest
        return evaluate(inner, context.along(path))
    if head == "^":
        base, power = evaluate(rest[0], context), int(rest[1])
        if power > MAX_POWER:
            raise BudgetExceededError(f"a power of {power}, and certificates hold at most {MAX_POWER}")
        result = base.identity(base.shape[0])
        for _ in range(power):
            result = result @ base
        return result
    if head == "entry":
        value = evaluate(rest[0], context)
        return RationalMatrix([[value[int(rest[1]), int(rest[2])]]])
    if head == "@":
        return _product(rest, context, weighted)
    values = [evaluate(part, context, weighted and head in ("+", "-", "*")) for part in rest]
    match head, values:
        case "+", [*_]:
            return reduce(add, values)
        case "-", [value]:
            return -value
        case "-", [left, right]:
            return left - right
        case "*", [scalar, value]:
            if scalar.shape != (1, 1):
                raise ValueError(f"a matrix of shape {scalar.shape} is not a number")
            return value.scaled(scalar[0, 0])
        case "T", [value]:
            return value.T
        case "sum", [value]:
            return RationalMatrix([[sum((x for row in value.rows for x in row), start=Fraction(0))]])
        case "diag", [value]:
            return value.identity(value.shape[0]).scale_rows(value)
        case "beside", [first, *others]:
            return first.beside(*others)
        case "over", [first, *others]:
            return first.T.beside(*(other.T for other in others)).T
        case "det", [value] if value.shape[0] == value.shape[1]:
            return RationalMatrix([[value.determinant()]])
        case "pairs", [value] if value.shape[0] == value.shape[1] > 1:
            return value.additive_compound()
        case "solve", [left, right]:
            return left.solve(right)
    raise ValueError(f"unknown operation {head!r}")


def _product(parts: Sequence[Expression], context: Context, weighted: bool) -> RationalMatrix:
    """A product from the right; S and M are applied to what follows by Horner's rule, not formed."""
    value = None
    for left, part in reversed(list(zip((None, *parts[:-1]), parts, strict=True))):
        inner = weighted if left is None else left == "D"
        if value is None:
            value = evaluate(part, context, inner)
        elif part in ("S", "M"):
            keys = context.keys if inner else context.on_all_states
            value = keys.S(value) if part == "S" else keys.M(value)
        else:
            value = evaluate(part, context, inner) @ value
    assert value is not None
    return value


def _number_or_name(text: str, context: Context) -> RationalMatrix:
    if text[0].isdigit() or (text[0] == "-" and text[1:2].isdigit()):
        return RationalMatrix([[Fraction(text)]])
    name, colon, number = text.partition(":")
    if name in (STEP_NAMES if colon else RETURN_NAMES):
        return _on_path(name, int(number or 0), context)
    if bool(colon) != (name in NUMBERED_NAMES) and name != "ones":
        raise ValueError(f"the name {text!r} has no value here")
    if text not in context.cache:
        context.cache[text] = _named(name, int(number or 0), context)
    return context.cache[text]


STEP_NAMES = frozenset({"R", "gamma", "rho", "phi", "v", "delta", "z", "zrho", "state"})
"""Names along a path, with a step; ``gamma`` without one is the constant discount, on a path or not."""
RETURN_NAMES = frozenset({"G", "Grho"})
NUMBERED_NAMES = frozenset({"lambda", "c", "w", "Lambda"})


def _named(name: str, k: int, context: Context) -> RationalMatrix:
    model, kernel = context.model, context.own_kernel
    ones = RationalMatrix.column([1] * (k or model.n))

    def number(value: Fraction | int | None) -> RationalMatrix | None:
        return None if value is None else RationalMatrix([[value]])

    found: dict[str, Callable[[], RationalMatrix | None]] = {
        "I": lambda: ones.identity(model.n),
        "ones": lambda: ones,
        "Phi": lambda: model.features,
        "P_mu": lambda: model.behaviour_chain.P,
        "P_pi": lambda: kernel.P,
        "N": lambda: kernel.N,
        "r": lambda: kernel.r,
        "q": lambda: kernel.mass,
        "d": lambda: context.keys.d,
        "D": lambda: ones.identity(model.n).scale_rows(context.keys.d),
        "A": lambda: context.keys.A,
        "b": lambda: context.keys.b,
        "C": lambda: context.keys.C,
        "theta": lambda: context.theta,
        "V": lambda: (ones.identity(model.n) - kernel.N).solve(kernel.r),
        "gamma": lambda: number(model.gamma),
        "kappa": lambda: number(model.kappa),
        "Lambda": lambda: RationalMatrix(weight_matrix(_first_lambdas(model, k), k)) if k else None,
        "L": lambda: number(model.schedule.length),
        "lambda": lambda: number(_first_lambdas(model, k)[k - 1]) if k else None,
        "c": lambda: number(trace_weights(_first_lambdas(model, k))[k]),
        "w": lambda: number(return_weights(_first_lambdas(model, k))[k - 1]) if k else None,
    }
    value = found[name]() if name in found else None
    if value is None:
        raise ValueError(f"the name {name!r} has no value here")
    return value


def _first_lambdas(model: Model, k: int) -> tuple[Fraction, ...]:
    """λ_1 … λ_k: zero after the end of a finite schedule, the tail of one without end."""
    lambdas = model.schedule.lambdas
    return (*lambdas, *(model.schedule.tail,) * max(0, k - len(lambdas)))[:k]


def _on_path(name: str, k: int, context: Context) -> RationalMatrix:
    if context.path is None:
        raise ValueError(f"{name!r} needs a path")
    model, path = context.model, context.path
    s, a, scalars = path.states, path.actions, context.scalars

    def entry(table: list[list[fmpq]], i: int) -> fmpq:
        row = table[s[i]]
        return row[0] if len(row) == 1 else row[s[i + 1]]

    def reward(i: int) -> fmpq:
        return entry(scalars.rewards[a[i]], i)

    def discount(i: int) -> fmpq:
        return entry(scalars.discounts[a[i]], i)

    def ratio(i: int) -> fmpq:
        return scalars.target[s[i]][a[i]] / scalars.behaviour[s[i]][a[i]]

    def phi(i: int) -> list[fmpq]:
        return scalars.features[s[i]]

    def value(i: int) -> fmpq:
        if scalars.predictions is None:
            raise ValueError(f"{name!r} needs a θ")
        return scalars.predictions[s[i]]

    if name == "phi":
        return RationalMatrix.of_scalars(phi(k))
    if name == "state":
        return RationalMatrix.column([int(j == s[k]) for j in range(model.n)])
    if name in ("z", "zrho"):
        first = 0 if model.schedule.length is None else max(0, k - model.schedule.length)
        window = range(first, k + 1)  # what lies before it has weight zero, whatever its ratios are
        ratios = [ratio(i) for i in window] if name == "zrho" else None
        discounts = [discount(i) for i in window[:-1]]
        lambdas = [to_fmpq(lam) for lam in _first_lambdas(model, k - first)]
        return RationalMatrix.of_scalars(trace([phi(i) for i in window], discounts, lambdas, k - first, ratios))
    if name in ("G", "Grho"):
        if model.schedule.length is None:
            raise ValueError("the return needs a schedule of finite length")
        steps = range(len(scalars.lambdas) + 1)
        ratios = [ratio(i) for i in steps] if name == "Grho" else None
        values = [value(i) for i in range(len(steps) + 1)]
        rewards, discounts = [reward(i) for i in steps], [discount(i) for i in steps]
        return RationalMatrix.of_scalars([schedule_return(rewards, discounts, values, scalars.lambdas, ratios)])
    numbers = {
        "R": lambda: reward(k),
        "gamma": lambda: discount(k),
        "rho": lambda: ratio(k),
        "v": lambda: value(k),
        "delta": lambda: reward(k) + discount(k) * value(k + 1) - value(k),
    }
    return RationalMatrix.of_scalars([numbers[name]()])


def _expectation(parts: Sequence[Any], context: Context) -> RationalMatrix:
    policy_name, start, steps, inner = parts
    model = context.model
    if int(steps) > MAX_STEPS:
        raise BudgetExceededError(f"an expectation over {steps} steps, and certificates hold at most {MAX_STEPS}")
    policy = model.behaviour if policy_name == "mu" else model.target
    law = [fmpq(int(s == start)) for s in range(model.n)] if start != "d" else [p for (p,) in context.keys.d.scalars]
    _require_few_paths(model, policy, law, int(steps))
    total, denominator = fmpz_mat(0, 0), fmpz(1)  # in whole numbers: nothing is brought to lowest terms on the way
    for probability, path in _paths(model, policy, law, int(steps)):
        value = evaluate(inner, context.along(path))
        weight = probability / value.denominator
        common = denominator.lcm(weight.q)
        term = value.numerator * (weight.p * (common // weight.q))
        total, denominator = total * (common // denominator) + term if total.ncols() else term, common
    return RationalMatrix.quotient(total, denominator)


def _require_few_paths(model: Model, policy: RationalMatrix, law: Sequence[fmpq], steps: int) -> None:
    """Count the paths by their last state, before any is walked."""
    taken = [[a for a, mu in enumerate(row) if mu != 0] for row in policy.scalars]
    choices = [[model.transitions[a].scalars[s] for a in actions] for s, actions in enumerate(taken)]
    ways = [int(p != 0) for p in law]
    for _ in range(steps):
        longer = [0] * model.n
        for s, count in enumerate(ways):
            for row in choices[s] if count else []:
                for successor, p in enumerate(row):
                    longer[successor] += count if p != 0 else 0
        ways = longer
        if sum(ways) > MAX_PATHS:
            raise BudgetExceededError(f"more than {MAX_PATHS} paths of {steps} steps")


def _paths(model: Model, policy: RationalMatrix, law: Sequence[fmpq], steps: int) -> Iterator[tuple[fmpq, Path]]:
    """Every path of positive probability with its probability."""
    onwards = [
        [
            (a, successor, chosen * p)
            for a, (P, chosen) in enumerate(zip(model.transitions, row, strict=True))
            for successor, p in enumerate(P.scalars[s])
            if chosen * p != 0
        ]
        for s, row in enumerate(policy.scalars)
    ]

    def extend(probability: fmpq, states: tuple[int, ...], actions: tuple[int, ...]) -> Iterator[tuple[fmpq, Path]]:
        if len(actions) == steps:
            yield probability, Path(states, actions)
            return
        for a, successor, p in onwards[states[-1]]:
            yield from extend(probability * p, (*states, successor), (*actions, a))

    for s, p in enumerate(law):
        if p != 0:
            yield from extend(p, (s,), ())


def list_form(expression: Any) -> Any:
    """Tuples as JSON lists, paths written out."""
    if isinstance(expression, Path):
        return expression.expression()
    if isinstance(expression, tuple | list):
        return [list_form(part) for part in expression]
    return expression


def written(expression: Expression) -> str:
    """An expression for people: infix, as short as it can be read."""
    if not isinstance(expression, tuple | list):
        return str(expression)
    head, *rest = expression
    if head in ("+", "@") or (head == "-" and len(rest) == 2) or head == "*":
        sign = {"@": " ", "*": "·"}.get(head, f" {head} ")
        return "(" + sign.join(written(part) for part in rest) + ")"
    if head == "-":
        return f"−{written(rest[0])}"
    if head == "T":
        return f"{written(rest[0])}ᵀ"
    if head == "^":
        return f"{written(rest[0])}^{rest[1]}"
    if head in ("over", "beside"):  # rows of a table: a, b; c, d
        inside = {"over": "; ", "beside": ", "}[head].join(written(part) for part in rest)
        return f"[{inside}]" if head == "over" else inside
    if head == "E":
        start = "" if rest[1] == "d" else f" | s_0 = {rest[1] + 1}"
        return f"E_{rest[0]}[{written(rest[3])}{start}]"
    if head == "on":
        return f"{written(rest[1])} along {'→'.join(str(s + 1) for s in rest[0].states)}"
    return f"{head}({', '.join(written(part) for part in rest)})"


def shown(value: RationalMatrix) -> str:
    """A value for people."""
    rows = value.to_strings()
    return rows[0][0] if value.shape == (1, 1) else str(rows).replace("'", "")


def _names(expression: Any) -> Iterator[str]:
    if isinstance(expression, str):
        yield expression
    elif isinstance(expression, tuple | list):
        for part in expression:
            yield from _names(part)
