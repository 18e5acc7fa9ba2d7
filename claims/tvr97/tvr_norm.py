r"""P does not expand the norm of its stationary law.

Place: text not seen; the statement as it is ascribed to the paper.
Statement: ‖PV‖_D ≤ ‖V‖_D for all V.
Hypotheses: D is the law of P. Not needed: an irreducible or aperiodic chain.
Model: any; each recurrent class on its own.
Check: that of ``stationary_norm``.
Closed form: ‖V‖² − ‖PV‖² = ½ Σ_i d_i Σ_jk p_ij p_ik (V_j − V_k)².
"""

from __future__ import annotations

from fractions import Fraction

from tdcert.claims.dgb22 import stationary_norm
from tdcert.claims.kit import Ablation, Claim, FalseVariant, NumericConstant, Reading, Refutation, explained
from tdcert.claims.models import periodic_models, reducible_models
from tdcert.theory.check.hypotheses import APERIODIC, IRREDUCIBLE, ON_POLICY
from tdcert.theory.expressions.notation import Name, its
from tdcert.theory.expressions.relations import decide_relations
from tdcert.theory.model.gallery import flip_chain


def one_percent_less() -> Refutation:
    """Two states that alternate, V = 1: ‖PV‖² = ‖V‖² = 1."""
    model = flip_chain()
    squares = [stationary_norm.squared_norm(V) for V in (its.P_pi @ its.ones, its.ones)]
    found = decide_relations(model, [(squares[0], "<=", Name(Fraction(99, 100) ** 2) * squares[1])])
    return explained(found, model, "two states, V = 1", "‖PV‖²", "(99/100)²‖V‖²")


CLAIM = Claim(
    id="tvr_norm",
    stated=Reading(r"$\|PV\|_D \le \|V\|_D$ for all $V$."),
    check=stationary_norm.check,
    prove=stationary_norm.prove,
    variant=FalseVariant("‖PV‖_D ≤ (99/100)‖V‖_D.", one_percent_less),
    constants=(NumericConstant("the 1 in 1·‖V‖_D", one_percent_less),),
    ablations=(
        Ablation(ON_POLICY.at("not seen"), box=stationary_norm.TWO_POLICIES),
        Ablation(IRREDUCIBLE.at("not seen"), supports=reducible_models),
        Ablation(APERIODIC.at("not seen"), supports=periodic_models),
    ),
    rests_on=("stationary_norm",),
)
