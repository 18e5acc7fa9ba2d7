r"""P does not expand the D-norm.

Place: A4.1, before the contraction of M.
Statement: ‖PV‖_D ≤ ‖V‖_D for all V.
Hypotheses: D is the law of P (on-policy).
Model: any; each recurrent class on its own. P is the target policy's matrix, D the behaviour policy's law.
Check: D − PᵀDP has non-positive entries off the diagonal and row sums d − Pᵀd; if these are zero it is positive
semidefinite. If not, the statement fails, at V = 1 − ε(d − Pᵀd) for small ε > 0.
Closed form: ‖V‖² − ‖PV‖² = ½ Σ_i d_i Σ_jk p_ij p_ik (V_j − V_k)². The statement holds for all V exactly if dP = d.
"""

from __future__ import annotations

from fractions import Fraction

from claims.box import Box
from claims.claim import Ablation, Claim, ProofError, Reading
from claims.models import periodic_models, reducible_models
from theory.arithmetic import RationalMatrix
from theory.check import identities, identities_algebra
from theory.check.evidence import strings
from theory.check.hypotheses import APERIODIC, IRREDUCIBLE, ON_POLICY
from theory.check.paths import on_each_class
from theory.check.relations import Expression, Relation, decide_relations
from theory.model.key_matrices import theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Grade, Scope, ScopedEvidence, Status, Verdict

TWO_POLICIES = Box(states=2, entries=(1,), off_policy=True)
KEPT: Relation = (("@", ("T", "P_pi"), "d"), "=", "d")


def prove() -> tuple[ScopedEvidence, ...]:
    """The sum of squares, and the direction along which it fails for any other law."""
    squares, defects = (1, 2, 3, 4), (1, 2, 3)
    if not all(identities.stationary_norm_identity(n) for n in squares):
        raise ProofError("‖V‖² − ‖PV‖² is not the sum of squares")
    if not all(identities_algebra.norm_defect_identity(n) for n in defects):
        raise ProofError("VᵀZV along 1 − εZ1 is not −2ε‖Z1‖² + O(ε²)")
    return (
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(squares),
            "‖V‖² − ‖PV‖² = ½ Σ d_i p_ij p_ik (V_j − V_k)², free P, d, V with P1 = 1 and dP = d as explicit "
            "multipliers, n = 1 … 4",
        ),
        ScopedEvidence(
            Scope.SIZES, Grade.PROVED, len(defects),
            "sharpness: for Z = D − PᵀDP, P1 = 1: VᵀZV = −2ε‖Z1‖² + ε²(…) along V = 1 − εZ1, Z1 = d − Pᵀd, n = 1, 2, 3",
        ),
    )  # fmt: skip


def squared_norm(V: Expression) -> Expression:
    """VᵀDV."""
    return ("@", ("T", V), "D", V)


def check(model: Model) -> Verdict:
    """D − PᵀDP positive semidefinite, on every recurrent class."""

    def decide(states: tuple[int, ...]) -> Verdict:
        row_sums: Relation = (("@", ("T", "P_pi"), "D", "P_pi", "ones"), "=", "d")
        signs: list[Relation] = [(("*", "0", X), "<=", X) for X in ("P_pi", "D")]
        samples: list[Relation] = [
            (squared_norm(("@", "P_pi", V)), "<=", squared_norm(V)) for V in ("r", ("@", "Phi", f"ones:{model.d}"))
        ]
        detail = "D − PᵀDP has row sums 0 and no positive entry off the diagonal"
        verdict = decide_relations(model, [KEPT, row_sums, *signs, *samples], states=states, detail=detail)
        return verdict if verdict.status is Status.HOLDS else _expanding(model, states)

    return on_each_class(decide, model)


def _expanding(model: Model, states: tuple[int, ...]) -> Verdict:
    """V = 1 − ε(d − Pᵀd) with ‖PV‖_D > ‖V‖_D, the first ε = 1, ½, ¼, … that does it."""
    P, d = model.target_kernel.P, theorem_matrices(model, states).d
    ones, u = RationalMatrix.column([1] * model.n), d - P.T @ d
    epsilon = Fraction(1)
    while True:  # ends: the form is −2ε‖u‖² + ε²c
        V = ones - u.scaled(epsilon)
        image = P @ V
        if (V.T @ V.scale_rows(d))[0, 0] < (image.T @ image.scale_rows(d))[0, 0]:
            break
        epsilon /= 2
    expression = ("-", "ones", ("*", str(epsilon), ("-", "d", ("@", ("T", "P_pi"), "d"))))
    growth: Relation = (squared_norm(expression), "<", squared_norm(("@", "P_pi", expression)))
    held = decide_relations(model, [growth], states=states)
    witness = {"V": strings(V), "d": strings(d)}
    return Verdict(Status.REFUTED, Grade.CERTIFIED, "‖PV‖_D > ‖V‖_D", witness, certificates=held.certificates)


CLAIM = Claim(
    id="stationary_norm",
    stated=Reading(r"$\|PV\|_D \leq \|V\|_D$ for all $V$."),
    hypotheses=(ON_POLICY,),
    anchors=(r"The first inequality above follows from the facts that $||PV||_D \leq ||V||_D$",),
    check=check,
    prove=prove,
    ablations=(
        Ablation(ON_POLICY, box=TWO_POLICIES, note="what is needed is dP = d, and nothing less"),
        Ablation(IRREDUCIBLE, supports=reducible_models, note="the law of one recurrent class is enough"),
        Ablation(APERIODIC, supports=periodic_models),
    ),
    notes=(
        "‖PV‖_D ≤ ‖V‖_D holds for all V exactly if d is stationary for P: with any other d it fails next to V = 1.",
    ),
)
