r"""Higher moments do not exist in the example.

Note: (1 + ε)^{2n} > 2 suffices.
Model: the example, ε = 1/10.
Check: at n = 4, Θ_0 = 0: E(Θ_k + 1)^{2n} ≥ (½(1 + ε)^{2n})^k for k = 1, 2, 3, and (1 + ε)^{2n} > 2.
Closed form: Θ_1 + 1 = (1 + ε)(Θ_0 + 1) where X_0 = 1. So E(Θ + 1)^{2n} ≥ ½(1 + ε)^{2n} E(Θ + 1)^{2n} for a stationary
Θ: the moment is zero or infinite; Θ = −1 is not stationary, as X_0 = −1 leads to −1 + ε.
Proof: the factor of Θ + 1 at X_0 = 1, which has the probability ½.
"""

from tdcert.claims import kit
from tdcert.claims.kit import HALF, Expression, Model, Name, Verdict, free, its
from tdcert.claims.sy19.example import EPSILON, OF_EXAMPLE, example, iterate, mean


def one_step() -> bool:
    """Θ_1 + 1 at X_0 = 1, and Θ_1 + 1 at X_0 = −1, which is ε at Θ_0 = −1."""
    _, x, eps = free(x=(), e=())
    return bool(
        x + eps * (x + 1) + 1 == (1 + eps) * (x + 1) and x + eps * (-2 * x - 1) + 1 == (1 - 2 * eps) * (x + 1) + eps
    )


def grows(model: Model) -> Verdict:
    """Whether the eighth moment grows by a factor above one."""
    factor = Name(HALF) * (1 + Name(EPSILON)) ** 8
    relations: list[kit.Relation] = [(Name(1), "<", factor)]
    relations += [(factor**k, "<=", mean(k, (iterate(k) + 1) ** 8)) for k in (1, 2, 3)]
    return kit.decide_relations(model, relations, theta=[0], detail="E(Θ_k + 1)^8 grows with k")


def multiplier(power: int) -> Expression:
    """E(1 + εA)^{2n}, of the highest moment."""
    return mean(1, (1 + Name(EPSILON) * its.phi(0)) ** power)


def does_not_grow() -> kit.Refutation:
    """n = 2: E(1 + εA)⁴ = 0.93685."""
    found = kit.decide_relations(model := example(), [(Name(1), "<=", multiplier(4))])
    return kit.explained(found, model, "ε = 1/10: the map of fourth moments", "1", "E(1 + εA)⁴")


def facts() -> list[kit.Fact]:
    """The multiplier of the highest power exceeds one from n = 3 on."""
    found = kit.decide_relations(model := example(), [(Name(1), "<", multiplier(6))])
    return [kit.Fact("at ε = 1/10 the map of sixth moments has a multiplier E(1 + εA)⁶ above one", model, found)]


CLAIM = kit.Claim(
    id="sy_app_e",
    stated=kit.Reading(
        r"In the example the $2n$-th moment of the stationary $\Theta$ does not exist for $n = \omega(1/\epsilon)$.",
        quote="it is not even sub-exponential since the higher moments are all infinity for large $n$",
        place="§2.3, before Theorem 9",
    ),
    sharper=kit.Reading(
        r"It does not exist for $n > \frac{\log 2}{2\log(1 + \epsilon)}$, which is near $0.35/\epsilon$."
    ),
    check=grows,
    prove=lambda: kit.proved_for_all("Θ_1 + 1 = (1 + ε)(Θ_0 + 1) at X_0 = 1, symbolic Θ_0, ε", kit.shown(one_step)),
    facts=facts,
    instances=lambda: (example(),),
    variant=kit.FalseVariant("At ε = 1/10 the fourth moments grow.", does_not_grow),
    ablations=(OF_EXAMPLE,),
    notes=("A step of the printed proof is false, and is not used here: sy_app_e_step.",),
)
