"""Spectra known in advance: built from blocks with rational real parts, hidden by unimodular integer matrices."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from tdcert.theory.arithmetic import RationalMatrix
from tdcert.theory.check.definiteness import accepts
from tdcert.theory.check.stability import (
    LyapunovProof,
    certificate_of,
    prove_stable,
    prove_unstable,
    spectral_abscissa,
)
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.limits import LYAPUNOV_ROWS, POLYNOMIAL_ROWS
from tests.effort import examples

F = Fraction
Rows = list[list[Fraction]]

some = settings(max_examples=examples(60), deadline=None)


# ---- matrices with a prescribed spectrum ----------------------------------------------------------


@dataclass(frozen=True)
class Block:
    """Eigenvalues a ± bi (a alone for b = 0), in a Jordan chain of length ``chain``."""

    a: Fraction
    b: Fraction = Fraction()
    chain: int = 1

    @property
    def rows(self) -> Rows:
        unit = [[self.a]] if self.b == 0 else [[self.a, -self.b], [self.b, self.a]]
        step = len(unit)
        size = step * self.chain
        made = [[F(0)] * size for _ in range(size)]
        for i in range(size):
            for j in range(step):
                made[i][i // step * step + j] = unit[i % step][j]
            if i + step < size:
                made[i][i + step] = F(1)
        return made


def diagonal(blocks: list[Block]) -> RationalMatrix:
    size = sum(len(block.rows) for block in blocks)
    rows: Rows = []
    for block in blocks:
        before = len(rows)
        rows += [[F(0)] * before + row + [F(0)] * (size - before - len(row)) for row in block.rows]
    return RationalMatrix(rows)


def hidden(blocks: list[Block], lower: list[int], upper: list[int]) -> RationalMatrix:
    """U J U⁻¹ with U = L R, both unit triangular with integer entries: the spectrum stays, the blocks go."""
    J = diagonal(blocks)
    n = J.shape[0]
    at = [(i, j) for i in range(n) for j in range(i)]
    low, up = dict(zip(at, lower, strict=False)), dict(zip(at, upper, strict=False))
    L = RationalMatrix([[1 if i == j else low.get((i, j), 0) for j in range(n)] for i in range(n)])
    R = RationalMatrix([[1 if i == j else up.get((j, i), 0) for j in range(n)] for i in range(n)])
    U = L @ R
    return U.T.solve((U @ J).T).T


REAL_PARTS = st.sampled_from(
    [F(0), F(-1), F(1), F(-1, 3), F(1, 7), F(-5, 2), F(3), F(-1, 10**15), F(1, 10**15), F(-1, 10**40)]
)
IMAGINARY_PARTS = st.sampled_from([F(0), F(0), F(1), F(1, 2), F(7, 3), F(10**6)])
SMALL = st.integers(-2, 2)


@st.composite
def spectra(draw: DrawFn, real_parts: st.SearchStrategy[Fraction] = REAL_PARTS) -> list[Block]:
    blocks = []
    for _ in range(draw(st.integers(1, 3))):
        blocks.append(Block(draw(real_parts), draw(IMAGINARY_PARTS), draw(st.sampled_from([1, 1, 1, 2]))))
    return blocks


@st.composite
def matrices(
    draw: DrawFn, real_parts: st.SearchStrategy[Fraction] = REAL_PARTS, size: int = 6
) -> tuple[RationalMatrix, Fraction]:
    """(matrix, largest real part)."""
    blocks = draw(spectra(real_parts))
    while sum(len(block.rows) for block in blocks) > size:
        blocks.pop()
    count = size * (size - 1) // 2
    entries = st.lists(SMALL, min_size=count, max_size=count)
    blocks = blocks or [Block(draw(real_parts))]
    return hidden(blocks, draw(entries), draw(entries)), max(block.a for block in blocks)


# ---- checks that trust nothing --------------------------------------------------------------------


def positive_definite(rows: Rows) -> bool:
    """Sylvester: with symmetric rows, the pivots of elimination are quotients of consecutive leading minors."""
    work = [list(row) for row in rows]
    n = len(work)
    assert all(work[i][j] == work[j][i] for i in range(n) for j in range(n))
    for k in range(n):
        if work[k][k] <= 0:
            return False
        for i in range(k + 1, n):
            factor = work[i][k] / work[k][k]
            work[i] = [a - factor * b for a, b in zip(work[i], work[k], strict=True)]
    return True


def change(B: RationalMatrix, X: RationalMatrix, shift: Fraction) -> Rows:
    """(B − sI)ᵀX + X(B − sI), entry by entry."""
    n = range(B.shape[0])
    S = [[B[i, j] - shift * (i == j) for j in n] for i in n]
    return [[sum((S[k][i] * X[k, j] + X[i, k] * S[k][j] for k in n), F(0)) for j in n] for i in n]


def assert_stable_proof(B: RationalMatrix, proof: LyapunovProof) -> None:
    """X ≻ 0 and −(BᵀX + XB) ≻ 0: Lyapunov's theorem."""
    assert proof.shift == 0 and proof.vector is None
    assert positive_definite([list(row) for row in proof.X.rows])
    assert positive_definite([[-x for x in row] for row in change(B, proof.X, F(0))])


def assert_unstable_proof(B: RationalMatrix, proof: LyapunovProof) -> None:
    """vᵀXv > 0 and (B − sI)ᵀX + X(B − sI) ≻ 0 with s ≥ 0: some eigenvalue has real part above s."""
    assert proof.vector is not None and proof.shift >= 0
    assert positive_definite(change(B, proof.X, proof.shift))
    v, n = proof.vector.column_entries(), range(B.shape[0])
    assert sum(v[i] * proof.X[i, j] * v[j] for i in n for j in n) > 0


# ---- the spectral abscissa ------------------------------------------------------------------------


@some
@given(matrices(), st.sampled_from([20, 64, 200]))
def test_abscissa_of_prescribed_spectra(drawn: tuple[RationalMatrix, Fraction], bits: int) -> None:
    B, largest = drawn
    found = spectral_abscissa(B, bits)
    assert found.lower <= largest <= found.upper
    assert found.sign == (largest > 0) - (largest < 0)
    assert found.exactly_zero is (largest == 0)
    assert (found.upper - found.lower) * 2**bits <= max(abs(found.lower), abs(found.upper))


@pytest.mark.parametrize(
    ("blocks", "largest"),
    [
        ([Block(F(0), F(1))], F(0)),
        ([Block(F(0), F(3)), Block(F(-1), F(2))], F(0)),
        ([Block(F(0), F(3)), Block(F(1, 10**15), F(2))], F(1, 10**15)),
        ([Block(F(0)), Block(F(-1))], F(0)),
        ([Block(F(0), chain=3)], F(0)),
        ([Block(F(0), F(1), chain=2), Block(F(-2))], F(0)),
        ([Block(F(0), F(1)), Block(F(0), F(2)), Block(F(0))], F(0)),
        ([Block(F(-1, 10**15), F(10**6)), Block(F(-1))], F(-1, 10**15)),
        ([Block(F(-1, 10**40), chain=2), Block(F(-1, 10**40), F(1))], F(-1, 10**40)),
        ([Block(F(1)), Block(F(-1))], F(1)),
        ([Block(F(1), F(2)), Block(F(-1), F(2))], F(1)),
        ([Block(F(10**30)), Block(F(-(10**60)), F(1))], F(10**30)),
    ],
    ids=[
        *("imaginary pair", "pair and stable", "pair and barely unstable", "zero eigenvalue", "nilpotent"),
        *("defective pair on the axis", "two pairs and zero", "barely stable, fast", "barely stable, defective"),
        *("symmetric about zero", "symmetric pairs", "huge"),
    ],
)
def test_abscissa_on_the_edge(blocks: list[Block], largest: Fraction) -> None:
    size = sum(len(block.rows) for block in blocks)
    count = size * (size - 1) // 2
    B = hidden(blocks, [(3 * k) % 5 - 2 for k in range(count)], [(2 * k + 1) % 5 - 2 for k in range(count)])
    found = spectral_abscissa(B)
    assert found.lower <= largest <= found.upper
    assert found.sign == (largest > 0) - (largest < 0) and found.exactly_zero is (largest == 0)


def test_abscissa_of_an_irrational_pair() -> None:
    """[[0, 1], [2, 0]] has the eigenvalues ±√2: lower² ≤ 2 ≤ upper²; a denominator divides it."""
    for q in (F(1), F(1, 7)):
        found = spectral_abscissa(RationalMatrix([[0, q], [2 * q, 0]]), 100)
        assert found.lower > 0 and found.lower**2 <= 2 * q**2 <= found.upper**2
        assert (found.upper - found.lower) * 2**100 <= found.upper


def test_abscissa_beyond_the_limit_is_refused() -> None:
    n = POLYNOMIAL_ROWS + 1
    with pytest.raises(BudgetExceededError, match=f"{n}×{n} matrix is beyond the limit of {POLYNOMIAL_ROWS}"):
        spectral_abscissa(RationalMatrix.zeros(n, n))


# ---- Lyapunov proofs ------------------------------------------------------------------------------


@some
@given(matrices())
def test_proofs_say_what_the_spectrum_is(drawn: tuple[RationalMatrix, Fraction]) -> None:
    """Up to six rows a proof is always found; on the axis there is none, for either side."""
    B, largest = drawn
    stable, unstable = prove_stable(B), prove_unstable(B, max(largest, F(0)))
    assert (stable is not None) is (largest < 0)
    if stable is not None:
        assert_stable_proof(B, stable)
    assert (unstable is not None) is (largest > 0)
    if unstable is not None:
        assert_unstable_proof(B, unstable)
        assert unstable.shift < largest


MILD = st.sampled_from([F(-3), F(-1), F(-1, 3), F(1, 2), F(2)])


@some
@given(matrices(MILD, size=5))
def test_instability_is_found_without_a_hint(drawn: tuple[RationalMatrix, Fraction]) -> None:
    B, largest = drawn
    proof = prove_unstable(B)
    assert (proof is not None) is (largest > 0)
    if proof is not None:
        assert_unstable_proof(B, proof)


def test_a_wrong_hint_proves_nothing() -> None:
    """B = −I is stable; B − sI has a Lyapunov matrix for every s > 0, but no direction grows."""
    stable = diagonal([Block(F(-1), chain=2)])
    assert prove_unstable(stable, F(1)) is None


@pytest.mark.parametrize("exponent", [-400, -200, 0, 200, 400])
def test_proofs_at_any_scale(exponent: int) -> None:
    c = F(10) ** exponent
    stable = diagonal([Block(F(-1), F(2)), Block(F(-1, 2), chain=2)]).scaled(c)
    unstable = diagonal([Block(F(1, 3), F(2)), Block(F(-1, 2), chain=2)]).scaled(c)
    proof = prove_stable(stable)
    assert proof is not None
    assert_stable_proof(stable, proof)
    for hint in (None, c / 4):
        proof = prove_unstable(unstable, hint)
        assert proof is not None
        assert_unstable_proof(unstable, proof)


def ring(n: int, diagonal_entry: Fraction) -> RationalMatrix:
    """``diagonal_entry`` and one step round a ring: eigenvalues diagonal_entry + roots of unity."""
    return RationalMatrix([[diagonal_entry * (i == j) + (j == (i + 1) % n) for j in range(n)] for i in range(n)])


def test_proofs_beyond_the_polynomial() -> None:
    """A large ring: the largest real part is the diagonal plus one, at the eigenvalue of (1, …, 1).

    Definiteness is checked here by the residual of the factors (tested in test_definiteness), for speed.
    """
    n = POLYNOMIAL_ROWS + 1
    stable, unstable = ring(n, F(-5, 4)), ring(n, F(-1, 2))
    proof = prove_stable(stable)
    assert proof is not None and proof.X_positive is not None and proof.X_positive.factor is not None
    assert proof.change.factor is not None
    assert accepts(proof.X, proof.X_positive.factor)
    assert accepts(-(stable.T @ proof.X + proof.X @ stable), proof.change.factor)
    assert prove_stable(unstable) is None
    proof = prove_unstable(unstable)
    assert proof is not None and proof.vector is not None and proof.change.factor is not None
    moved = unstable - unstable.identity(n).scaled(proof.shift)
    assert accepts(moved.T @ proof.X + proof.X @ moved, proof.change.factor)
    assert proof.X.quadratic_form(proof.vector) > 0 and 0 <= proof.shift < F(1, 2)
    assert prove_unstable(stable) is None


@pytest.mark.parametrize("n", [12, 22, 40])
def test_proofs_of_long_jordan_blocks(n: int) -> None:
    """Tabular TD(0) on a corridor of n states: -1 and 9/10 beside it, of which floats see one eigenvector."""
    corridor = RationalMatrix([[-F(i == j) + F(9, 10) * (j == i + 1) for j in range(n)] for i in range(n)])
    for B in (corridor, corridor.T):
        proof = prove_stable(B)
        assert proof is not None and proof.X_positive is not None and proof.X_positive.factor is not None
        assert proof.change.factor is not None
        assert accepts(proof.X, proof.X_positive.factor)
        assert accepts(-(B.T @ proof.X + proof.X @ B), proof.change.factor)


def test_no_proof_is_sought_beyond_its_limit() -> None:
    large = RationalMatrix.zeros(1, 1).identity(LYAPUNOV_ROWS + 1)
    assert prove_unstable(large) is None and prove_stable(-large) is None


# ---- certificates ---------------------------------------------------------------------------------


def test_certificate_bodies() -> None:
    """docs/certificates.md: kinds `hurwitz` and `unstable`, rational strings, their factors by name."""
    stable, unstable = diagonal([Block(F(-1), F(2))]), diagonal([Block(F(1, 3)), Block(F(-1))])
    proof = prove_stable(stable)
    assert proof is not None
    made = certificate_of(proof, {"matrix": "A"}, {"stationary": ["1"]})
    assert made.kind == "hurwitz" and made.about == {"matrix": "A", "shift": "0"}
    assert set(made.witness) == {"stationary", "lyapunov", "factor_lyapunov", "factor_decrease"}
    assert made.witness["lyapunov"] == proof.X.to_strings()
    proof = prove_unstable(unstable, F(1, 3))
    assert proof is not None and proof.vector is not None
    made = certificate_of(proof, {"matrix": "A"}, {"stationary": ["1"]})
    assert made.kind == "unstable" and made.about == {"matrix": "A", "shift": str(proof.shift)}
    assert set(made.witness) == {"stationary", "lyapunov", "factor_growth", "vector"}
    assert made.witness["vector"] == [str(x) for x in proof.vector.column_entries()]
