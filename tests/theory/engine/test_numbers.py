"""What an update may be, and the sentence about every one that is none of these."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq

from tdcert.theory.engine.declare import algorithm
from tdcert.theory.engine.numbers import Exact, Kind, Refusal, exact, sparse_terms, symbols, terms
from tdcert.theory.engine.tables import tables
from tdcert.theory.errors import InputError
from tdcert.theory.model.gallery import theta_to_two_theta

F = Fraction
HALF = F(1, 2)
MODEL = theta_to_two_theta(F(9, 10))


def sentence(function: Callable[..., Any], memory: dict[str, Any] | None = None) -> str:
    """What is said about an update with one parameter ``theta``, one step, and this memory."""
    declared = algorithm(parameters={"theta": "d"}, memory=memory)(function)
    with pytest.raises(InputError) as said:
        tables(MODEL, declared)
    assert str(said.value).count("\n") == 0
    return str(said.value)


def test_arithmetic_of_polynomials() -> None:
    x, m, a = symbols([("x", Kind.PARAMETER), ("m", Kind.MEMORY), ("a", Kind.STEP)])
    value = (2 - x * 3) * (m - F(1, 2)) * a**2 / 4 + 0.1 - np.float64(0.5) * a
    assert terms(value) == {
        (0, 1, 2): fmpq(1, 2),
        (0, 0, 2): fmpq(-1, 4),
        (1, 1, 2): fmpq(-3, 4),
        (1, 0, 2): fmpq(3, 8),
        (0, 0, 0): fmpq(1, 10),
        (0, 0, 1): fmpq(-1, 2),
    }
    assert terms(x - x) == {} and (x - x).symbols == () and terms(value - value) == {}
    assert (1 - (2 - a)).symbols == ("a",) and terms(-a) == {(0, 0, 1): fmpq(-1)} and +a is a


def test_constants_compare_and_divide_as_fractions_do() -> None:
    third = exact(1)
    assert third is not None
    third = third / 3
    assert third.constant == fmpq(1, 3) and third < 0.34 and third > F(1, 4) and third <= third and third >= 0
    assert min(1, third) is third and max(third, 1) == 1 and abs(-third) == third and third != 0 and bool(third)
    assert 1 / third == 3 and third**-2 == 9 and third**0 == 1 and hash(third) == hash(F(1, 3))
    assert exact(True) == 1 and exact(np.int64(3)) == 3 and exact("3") is None
    assert np.maximum(np.array([third, -third]), 0).tolist() == [third, 0]
    for inexact in (math.nan, math.inf):
        with pytest.raises(Refusal, match="computes with"):
            exact(inexact)
    (x,) = symbols([("x", Kind.PARAMETER)])
    assert x - x == 0  # no symbol is left


def test_what_no_polynomial_answers() -> None:
    """Every one names the line, the symbol, and what would do."""

    def branches(t, theta, alpha):  # type: ignore[no-untyped-def]
        if theta[0]:
            return theta
        return theta

    assert sentence(branches) == (
        "the update 'branches' branches on theta[0], which is not yet a number (test_numbers.py, line "
        f"{branches.__code__.co_firstlineno + 1}); write the update without cases that depend on parameters, memory or "
        "steps"
    )

    def compares(t, theta, alpha):  # type: ignore[no-untyped-def]
        return np.maximum(theta, 0)

    def exponential(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + math.exp(alpha)

    def exponentials(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + np.exp(theta)

    def divides(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta / (1 + alpha)

    def square(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + alpha * (theta @ theta)

    def power(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + theta**2

    def root(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + alpha**0.5

    def absolute(t, theta, alpha):  # type: ignore[no-untyped-def]
        return abs(theta)

    def rounds(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + round(alpha)

    def zero(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + 1 / (t.reward * 0)

    for function, words in (
        (compares, "compares theta[0]"),
        (exponential, "rounds alpha, or turns it into a float"),
        (exponentials, "rounds theta[0]"),
        (divides, "divides by alpha"),
        (square, "multiplies two parameters, theta[0] and theta[0]"),
        (power, "multiplies two parameters"),
        (root, "raises alpha to the power 0.5"),
        (absolute, "takes the absolute value of theta[0]"),
        (rounds, "rounds alpha"),
        (zero, "divides by zero"),
    ):
        said = sentence(function)
        assert f"the update '{function.__name__}' {words}" in said
        assert f"line {function.__code__.co_firstlineno + 1});" in said


def test_names_may_be_greek() -> None:
    @algorithm(parameters={"θ": "d"}, steps=("α",))
    def greek(t, θ, α):  # type: ignore[no-untyped-def]
        return θ + α * (θ @ θ)

    with pytest.raises(InputError, match=r"multiplies two parameters, θ\[0\] and θ\[0\]"):
        tables(MODEL, greek)


def test_what_a_memory_may_not_do() -> None:
    def learnt(t, theta, z, alpha):  # type: ignore[no-untyped-def]
        return theta, z + theta

    def stepped(t, theta, z, alpha):  # type: ignore[no-untyped-def]
        return theta, z + alpha * t.phi

    def squared(t, theta, z, alpha):  # type: ignore[no-untyped-def]
        return theta, z * z

    assert "returns a memory whose entry z[0] depends on theta[0]" in sentence(learnt, {"z": "d"})
    assert "returns a memory whose entry z[0] depends on alpha" in sentence(stepped, {"z": "d"})
    assert "multiplies two entries of the memory, z[0] and z[0]" in sentence(squared, {"z": "d"})


def test_inputs_are_not_written_to_and_shapes_are_kept() -> None:
    def writes(t, theta, alpha):  # type: ignore[no-untyped-def]
        theta += alpha
        return theta

    def writes_features(t, theta, alpha):  # type: ignore[no-untyped-def]
        t.phi[0] = 0
        return theta

    def too_many(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta, theta

    def a_number(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta @ t.phi

    def words(t, theta, alpha):  # type: ignore[no-untyped-def]
        return ["one"]

    def crashes(t, theta, alpha):  # type: ignore[no-untyped-def]
        return theta + t.phi_after

    def forgets(t, theta, alpha):  # type: ignore[no-untyped-def]
        pass

    def leaves(t, theta, alpha):  # type: ignore[no-untyped-def]
        raise SystemExit(3)

    assert "returns nothing" in sentence(forgets) and "fails (SystemExit: 3)" in sentence(leaves)
    assert "writes into an array that it was given" in sentence(writes)
    assert "writes into an array that it was given" in sentence(writes_features)
    assert "returns 2 values" in sentence(too_many) and "return theta, in this order" in sentence(too_many)
    assert "returns a new theta that is one number" in sentence(a_number)
    assert "return an array of shape 1" in sentence(a_number)
    assert "holds something of type str" in sentence(words)
    assert "fails (AttributeError: a transition has no 'phi_after'; it has state, action" in sentence(crashes)


def test_nothing_is_kept_from_call_to_call() -> None:
    """A symbol that was kept, and a count of calls, would be taken for the parameter and for a constant."""
    kept: list[Any] = []

    def keeps(t, theta, alpha):  # type: ignore[no-untyped-def]
        kept.append(theta)
        return theta + alpha * (kept[0] - theta)

    def counts(t, theta, alpha):  # type: ignore[no-untyped-def]
        kept.append(0)
        return theta + alpha * len(kept)

    for function in (keeps, counts):
        assert "gives another answer when it is asked again" in sentence(function)


@pytest.mark.parametrize(
    ("declared", "function", "words"),
    [
        ({"parameters": {}}, lambda t, alpha: 0, "needs at least one parameter"),
        ({"parameters": {"x": "d"}}, lambda t, alpha, x: x, "takes \\(t, alpha, x\\); from what is declared it should"),
        ({"parameters": {"x": "d"}, "steps": ("x",)}, lambda t, x: x, "declares a name twice"),
        ({"parameters": {"x": "d"}}, math.exp, "not a plain function"),
    ],
)
def test_declarations_are_held_against_the_function(declared: Any, function: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        algorithm(**declared)(function)


def test_options_and_shapes() -> None:
    @algorithm(parameters={"x": ("rows", "d"), "y": 1}, memory={"z": ("size", 2)})
    def shaped(t: Any, x: Any, y: Any, z: Any, alpha: Any, *, rows: Any = (1, 2, 3), size: int = 2) -> Any:
        """What it is.

        More about it.
        """
        return x, y, z

    parameters, memory = shaped.slots(4)
    assert [slot.shape for slot in parameters] == [(3, 4), ()] and memory[0].shape == (2, 2)
    assert memory[0].entries == ["z[0, 0]", "z[0, 1]", "z[1, 0]", "z[1, 1]"] and parameters[1].entries == ["y"]
    assert shaped.description == "What it is." and shaped(None, 1, 2, 3, 4) == (1, 2, 3)
    assert tables(MODEL, shaped).D == 3 * 1 + 1
    with pytest.raises(InputError, match="has no option 'row'; it has rows, size"):
        shaped.with_options(row=1)
    with pytest.raises(InputError, match="names 'D'"):
        algorithm(parameters={"x": "D"})(lambda t, x, alpha: x).slots(1)
    with pytest.raises(InputError, match=r"the shape of 'x' .* is 'lam'; give"):
        algorithm(parameters={"x": "lam"})(_with_option).slots(1)

    def unset(t: Any, x: Any, alpha: Any, *, lam: Any) -> Any:
        return x

    with pytest.raises(InputError, match="the option 'lam' of the function 'unset' has no value"):
        algorithm(parameters={"x": "d"})(unset)


def _with_option(t: Any, x: Any, alpha: Any, *, lam: Any = HALF) -> Any:
    return x


def test_a_float_option_is_the_decimal_it_prints() -> None:
    @algorithm(parameters={"x": 1}, steps=("alpha",))
    def shrinks(t: Any, x: Any, alpha: Any, *, by: Any = 0.1, also: Any = (0.2, 3)) -> Any:
        assert isinstance(also[1], int)
        return x - alpha * (by + also[0]) * x

    found = tables(MODEL, shrinks)
    (part,) = found.edges[0].increments.values()
    assert part == {(None, 0, 0): fmpq(-3, 10)}
    assert isinstance(shrinks.exact_options()["by"], Exact)


def test_products_are_read_as_the_polynomial_holds_them() -> None:
    """Numbers, powers and coefficients, against the exponents of all symbols."""
    names = [("θ[0]", Kind.PARAMETER), ("z[1]", Kind.MEMORY), ("step", Kind.STEP), ("t.phi_next[12]", Kind.GIVEN)]
    a, b, c, d = symbols(names)
    for x in (
        a,
        -a,
        a * b * c * d * d * d - b + 2 * c,
        (a - F(2, 3) * d) * (b + c) - F(7, 5),
        -F(1, 3) * d * d + 11,
        a - a,
        a - a - 4,
        Exact(fmpq(-3, 7)),
        Exact(fmpq(0)),
    ):
        found = [(tuple(dict(powers).get(k, 0) for k in range(4)), y) for powers, y in sparse_terms(x)]
        wanted = [(powers or (0,) * 4, y) for powers, y in terms(x).items()]
        assert found == wanted
        assert all(list(powers) == sorted(powers) for powers, _ in sparse_terms(x))
