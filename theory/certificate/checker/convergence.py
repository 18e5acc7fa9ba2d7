"""One kind: an algorithm converges, with probability one, to the certificate's theta."""

from __future__ import annotations

from .budget import Rejected, spend
from .matrices import Matrix
from .model import Case, System
from .reading import choice, index, listed, read_matrix
from .signs import growth_of, require_decrease, symmetric_part

MAX_DOUBLINGS = 64
GRADIENT = {
    "gtd": "beta_t = eta alpha_t with eta > 0: theta_t of GTD(lambda)-schedule",
    "tdc": "beta_t > 0 with sum beta_t^2 < infinity and alpha_t/beta_t -> 0: theta_t of TDC(lambda)-schedule",
}
PLAIN = {"td": "theta_t of TD(lambda)-schedule", "off_policy_td": "theta_t of off-policy TD(lambda)-schedule"}


def convergence(case: Case) -> str:
    """Theorems 4.3, 4.4 and 4.6, off-policy TD included, along one path of the behaviour chain.

    What they ask for: a finite schedule; a limit law d of the chain (`require_limit_law`); coverage on its class;
    A theta + b = 0; for TD an X = X' > 0 with A'X + XA < 0, here the identity where the witness has a `factor`; for GTD
    and TDC a nonsingular A, by its inverse or modulo a prime. theory/formal/verified/checked.v proves in Coq that the
    same tests suffice, for a program of its own.
    """
    proofs = "factor lyapunov factor_lyapunov factor_decrease inverse prime"
    case.open("algorithm", "stationary theta doublings column", "", proofs)
    name, model = choice(case.about["algorithm"], "about.algorithm", [*PLAIN, *GRADIENT]), case.model
    if model.constant is not None:
        raise Rejected("model.schedule: the schedule is without an end")
    if name == "td" and model.mu != model.pi:
        raise Rejected("about.algorithm: the policies differ, so this TD is called off_policy_td")
    require_limit_law(case)
    for s in case.support:
        if model.pi[s].keys() - model.mu[s].keys():
            raise Rejected(f"model: in state {s} the target takes an action that the behaviour never does")
    case.require_rest()
    match name, sorted(case.witness.keys() & set(proofs.split())):
        case "td" | "off_policy_td", ["factor"]:
            case.require_definite(-symmetric_part(System(case).A()), "factor")
        case "td" | "off_policy_td", ["factor_decrease", "factor_lyapunov", "lyapunov"]:
            require_decrease(case, *growth_of(case, System(case).A()))
        case "gtd" | "tdc", ["inverse"]:
            X = Matrix.of(read_matrix(case.witness["inverse"], "witness.inverse", model.d, model.d), model.d)
            if not (X @ System(case).A() - Matrix.identity(model.d)).is_zero():
                raise Rejected("witness.inverse: this is not the inverse of A")
        case "gtd" | "tdc", ["prime"]:
            case.require_A_nonsingular()
        case _, keys:
            raise Rejected(f"witness: the keys {keys} do not prove that {name} converges")
    steps = "every law of the first state, every start, and all deterministic alpha_t > 0 with sum alpha_t = infinity"
    what = f"{PLAIN[name]} converges" if name in PLAIN else f"and {GRADIENT[name]} converges"
    return (
        f"for {steps} and sum alpha_t^2 < infinity{':' if name in PLAIN else ','} {what} to theta = "
        f"{listed(case.witness['theta'])} with probability one"
    )


def require_limit_law(case: Case) -> None:
    """A column of P_mu^(2^k) has no zero: P_mu^t forgets where it started, and its rows go to the law of the witness.

    So every state leads to that of the column, and what that one leads to is the only recurrent class.
    """
    n, P = case.model.n, case.model.P_mu
    doublings = index(case.witness["doublings"], "witness.doublings", 0, MAX_DOUBLINGS)
    column = index(case.witness["column"], "witness.column", 0, n)
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
    case.support = sorted(case.model.reach(column))  # `Case.law` tests the law of the witness on it, where A is built
