r"""P does not expand the norm of its stationary law.

Hypotheses: D is the law of P. Not needed: an irreducible or aperiodic chain.
Model: any; each recurrent class on its own.
Check: that of ``stationary_norm``.
Closed form: ‖V‖² − ‖PV‖² = ½ Σ_i d_i Σ_jk p_ij p_ik (V_j − V_k)².
"""

from tdcert.claims import kit, models
from tdcert.claims.dgb22 import stationary_norm
from tdcert.claims.kit import APERIODIC, IRREDUCIBLE, ON_POLICY, Fraction, Name, decide_relations, flip_chain, its


def one_percent_less() -> kit.Refutation:
    """Two states that alternate, V = 1: ‖PV‖² = ‖V‖² = 1."""
    model = flip_chain()
    squares = [stationary_norm.squared_norm(V) for V in (its.P_pi @ its.ones, its.ones)]
    found = decide_relations(model, [(squares[0], "<=", Name(Fraction(99, 100) ** 2) * squares[1])])
    return kit.explained(found, model, "two states, V = 1", "‖PV‖²", "(99/100)²‖V‖²")


CLAIM = kit.Claim(
    id="tvr_norm",
    stated=kit.Reading(r"$\|PV\|_D \le \|V\|_D$ for all $V$."),
    check=stationary_norm.check,
    prove=stationary_norm.prove,
    variant=kit.FalseVariant("‖PV‖_D ≤ (99/100)‖V‖_D.", one_percent_less),
    constants=(kit.NumericConstant("the 1 in 1·‖V‖_D", one_percent_less),),
    ablations=(
        kit.Ablation(ON_POLICY.at("not seen"), box=stationary_norm.TWO_POLICIES),
        kit.Ablation(IRREDUCIBLE.at("not seen"), supports=models.reducible_models),
        kit.Ablation(APERIODIC.at("not seen"), supports=models.periodic_models),
    ),
    rests_on=("stationary_norm",),
)
