"""One kind: an algorithm converges, with probability one, to the certificate's theta."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction

from . import limits
from .budget import Rejected, spend, spend_fractions
from .matrices import Matrix
from .model import Case, System
from .reading import SparseRow, choice, index, listed, read_matrix, states
from .signs import growth_of, require_decrease, symmetric_part

MAX_DOUBLINGS = 64
STEPS = {  # what is asked of them, beside alpha_t
    "td": "",
    "off_policy_td": "",
    "gtd": ", and beta_t = eta alpha_t with eta > 0",
    "tdc": ", and beta_t > 0 with sum beta_t^2 < infinity and alpha_t/beta_t -> 0",
}
NAMES = {"td": "TD", "off_policy_td": "off-policy TD", "gtd": "GTD", "tdc": "TDC"}


def convergence(case: Case) -> str:
    """Theorems 4.3, 4.4 and 4.6, off-policy TD included, along one path of the behaviour chain.

    What they ask for: a finite schedule; a limit law d of the chain (`require_limit_law`); coverage on its class;
    A theta + b = 0; for TD an A that is negative definite by `rank` (`require_below_the_chain`), or an X = X' > 0 with
    A'X + XA < 0, here the identity where the witness has a `factor`; for GTD and TDC a nonsingular A, by its inverse or
    modulo a prime. By rank the schedule may go on without an end (`require_endless_rest`).
    With `columns` it is about the predictions Phi theta_t: Phi is these columns times `coordinates` on all states, and
    the rest is about them (`require_columns`). theory/formal/verified/checked.v and checked_columns.v prove in Coq that
    the same tests suffice, for a program of its own.
    """
    proofs = "rank series factor lyapunov factor_lyapunov factor_decrease inverse prime"
    case.open("algorithm", "stationary theta doublings column", "columns", f"{proofs} coordinates")
    name, model = choice(case.about["algorithm"], "about.algorithm", [*NAMES]), case.model
    if model.constant is not None and "rank" not in case.witness:
        raise Rejected("model.schedule: the schedule is without an end, and no rank is given")
    if name == "td" and model.mu != model.pi:
        raise Rejected("about.algorithm: the policies differ, so this TD is called off_policy_td")
    require_limit_law(case)
    require_columns(case)
    for s in case.support:
        if model.pi[s].keys() - model.mu[s].keys():
            raise Rejected(f"model: in state {s} the target takes an action that the behaviour never does")
    if model.constant is not None:
        require_endless_rest(case, model.constant)
    else:
        case.require_rest()
    match name, sorted(case.witness.keys() & set(proofs.split())):
        case "td" | "off_policy_td", ["rank"] if model.constant is None:
            require_below_the_chain(case)
        case "td" | "off_policy_td", ["rank", "series"] if model.constant is not None:
            require_below_the_chain(case)
        case "td" | "off_policy_td", ["factor"]:
            case.require_definite(-symmetric_part(System(case).A()), "factor")
        case "td" | "off_policy_td", ["factor_decrease", "factor_lyapunov", "lyapunov"] if "columns" not in case.about:
            require_decrease(case, *growth_of(case, System(case).A()))
        case "gtd" | "tdc", ["inverse"]:
            d = case.model.d
            X = Matrix.of(read_matrix(case.witness["inverse"], "witness.inverse", d, d), d)
            if not (X @ System(case).A() - Matrix.identity(d)).is_zero():
                raise Rejected("witness.inverse: this is not the inverse of A")
        case "gtd" | "tdc", ["prime"]:
            case.require_A_nonsingular()
        case _, keys:
            raise Rejected(f"witness: the keys {keys} do not prove that {name} converges")
    return sentence(case, name)


def sentence(case: Case, name: str) -> str:
    """What is accepted, in words."""
    endless = ", lambda without an end," if case.model.constant is not None else ""
    theta, phi = f"theta = {listed(case.witness['theta'])}", ""
    if "columns" in case.about:
        some = states(case.about["columns"], "about.columns", limits.MAX_FEATURES)
        place = ", ".join(map(str, some[:6])) + (", ..." if len(some) > 6 else "")
        phi, theta = "Phi ", f"Phi theta, {theta} on the columns {place} of Phi and zero elsewhere,"
    return (
        "for every law of the first state, every start, and all deterministic alpha_t > 0 with sum alpha_t = infinity "
        f"and sum alpha_t^2 < infinity{STEPS[name]}: {phi}theta_t of {NAMES[name]}(lambda)-schedule{endless} converges "
        f"to {theta} with probability one"
    )


def require_columns(case: Case) -> None:
    """Where there are `columns`: Phi = Phi_B T on all states, Phi_B these columns, which the model keeps alone.

    The rows of T are independent (see `Case.quotient`), so T = V O with an invertible V and orthonormal rows of O. Then
    O theta_t of TD, GTD or TDC on Phi is theta_t of the same on Phi_B V, where A is V'AV and b is V'b: it converges to
    V^-1 theta, by the theorems, if A on Phi_B is nonsingular, for TD negative definite; Phi theta_t is Phi_B V of it.
    """
    before = case.model
    if case.quotient() is None:
        return
    where, d = "witness.coordinates", case.model.d
    T = Matrix.of(read_matrix(case.witness["coordinates"], where, d, before.d), before.d)
    if not (Matrix.of(case.model.Phi, d) @ T - Matrix.of(before.Phi, before.d)).is_zero():
        raise Rejected(f"{where}: Phi is not the chosen columns times these coordinates on all states")


def require_below_the_chain(case: Case) -> None:
    """A is negative definite: 0 <= N <= P_mu, N is not P_mu in all rows of the class, and Phi has full rank there.

    On-policy N <= P_mu says that discounts are at most one. With the weights w_k >= 0 of the schedule, which sum to
    one, -x'Ax = sum_k w_k (|y|^2 - y'DN^k y), y = Phi x, and |N^k y|_D <= |y|_D (Schur). Were y'DN^k y = |y|^2, N^k y
    would be y on the class, so |y| = P_mu^k |y| there, which makes |y| one number c as the rows of P_mu^t tend to d;
    unless c is zero the rows of N^k, and so those of N, sum to one there: they are the rows of P_mu. lambda without an
    end: with y = (I - lambda N) v it is (1 - lambda)(|v|^2 - v'DNv) + lambda |v - Nv|^2.
    """
    if any(not 0 <= x <= 1 for x in case.model.lambdas):
        raise Rejected("model.schedule: by rank each lambda has to be in [0, 1]")
    model = case.model
    _, N, _ = model.made.of("kernel", "covered", lambda: model.kernel("covered"))
    gap = Matrix.of(model.P_mu, model.n) - Matrix.of(N, model.n)
    if any(x < 0 for x in gap.entries()):
        raise Rejected("model: the kernel is larger than the behaviour chain somewhere, and a rank proves nothing then")
    if not any(gap.rows[s][0] for s in case.support):
        raise Rejected("model: the kernel is the behaviour chain on its class: nothing is discounted")
    case.require_rank(case.support)


def require_endless_rest(case: Case, constant: Fraction) -> None:
    """Phi'D y = 0 for the y of the witness with (I - lambda N) y = (N - I) Phi theta + r.

    Coverage at all states, and lambda gamma rho < 1 on every transition: so traces stay bounded, and I - lambda N,
    whose rows are dominated by their diagonals, has an inverse.
    """
    model = case.model
    for s in range(model.n):
        if model.pi[s].keys() - model.mu[s].keys():
            raise Rejected(f"model: in state {s} the target takes an action that the behaviour never does")
        for a, weight in model.pi[s].items():
            row = model.Gamma[a][s]
            for gamma in [row] if isinstance(row, Fraction) else row.values():
                spend_fractions(constant, gamma)
                spend_fractions(constant * gamma, weight)
                if constant * gamma * weight >= model.mu[s][a]:
                    raise Rejected(f"model: lambda gamma rho is not below one for some transition from state {s}")
    system, y = System(case), Matrix.column(case.vector("series", model.n))
    V = system.Phi @ Matrix.column(case.theta)
    if not (y - constant * (system.N @ y) - (system.N @ V - V + system.r())).is_zero():
        raise Rejected("witness.series: (I - lambda N) y is not (N - I) Phi theta + r")
    if not (system.Phi.T @ (system.D @ y)).is_zero():
        raise Rejected("witness.theta: A theta + b is not zero")


def require_limit_law(case: Case) -> None:
    """A column of P_mu^(2^k) has no zero: P_mu^t forgets where it started, and its rows go to the law of the witness.

    So every state leads to that of the column, and what that one leads to is the only recurrent class.
    """
    n, P = case.model.n, case.model.P_mu
    doublings = index(case.witness["doublings"], "witness.doublings", 0, MAX_DOUBLINGS)
    column = index(case.witness["column"], "witness.column", 0, n)
    case.model.made.of("limit", json.dumps([doublings, column]), lambda: require_column(P, doublings, column))
    case.support = sorted(case.model.reach(column))  # `Case.law` tests the law of the witness on it, where A is built


def require_column(P: Sequence[SparseRow], doublings: int, column: int) -> None:
    """The column of P^(2^k) has no zero."""
    n = len(P)
    spend(doublings * n * n * (150 + n // 10))
    reach = [sum(1 << t for t in row) for row in P]  # bit t of s: whether 2^k steps lead from s to t
    for _ in range(doublings):
        before, reach = reach, [0] * n
        for s, row in enumerate(before):
            for t in range(n):
                if row >> t & 1:
                    reach[s] |= before[t]
    missing = next((s for s, row in enumerate(reach) if not row >> column & 1), None)
    if missing is not None:
        raise Rejected(f"witness.column: 2^{doublings} steps do not lead from state {missing} to state {column}")
