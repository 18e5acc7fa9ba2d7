r"""Independent samples are not needed for the mean.

Note: independent samples are often assumed; here each is of the stationary law of the chain.
Model: any; each recurrent class on its own, with its law.
Check: what updates see along the path, against the mean over one transition drawn from the law, entry by entry.
Closed form: an update without memory reads one transition, and E over a stationary path is E over its law.
"""

from tdcert.algorithms import named
from tdcert.claims import kit, models
from tdcert.claims.kit import HALF, Expression, Model, States, Verdict, blocks, expected, flip_chain, its, together
from tdcert.claims.means import decide_mean, seen
from tdcert.theory.identities.forms_and_norms import powers_keep_row_sums_and_law


def increment(t: int) -> Expression:
    """ρφ(γφ' − φ)ᵀ of the transition from s_t."""
    return its.rho(t) * (its.phi(t) @ (its.discount(t) * its.phi(t + 1) - its.phi(t)).T)


@kit.each_class
def check(model: Model, states: States) -> Verdict:
    once = expected("mu", "d", 1, increment(0))
    gram = expected("mu", "d", 1, its.phi(0) @ its.phi(0).T)
    wanted = {"gtd_2008": blocks([[0, -once.T], [once, -1]], model.d)}
    wanted["gtd2"] = blocks([[0, -once.T], [once, -gram]], model.d)
    means = {name: seen(model, named(name), states, ratios=(1, 1)) for name in wanted}
    return together(
        (decide_mean(model, means[name], B, states, name) for name, B in wanted.items()), "means of one draw"
    )


def two_in_a_row() -> kit.Refutation:
    """Two states that alternate, φ = 1, 0, γ = ½: the product of the two updates is 0, and A² = ¼."""
    model = flip_chain(HALF, features=((1,), (0,)))
    once = expected("mu", "d", 1, increment(0))
    found = kit.decide_relations(model, [(expected("mu", "d", 2, increment(1) @ increment(0)), "=", once @ once)])
    return kit.explained(found, model, "two states that alternate", "E A_1A_0 along the path", "A²")


CLAIM = kit.Claim(
    id="s9_iid",
    stated=kit.Reading(
        r"GTD and GTD2 have the same mean along a stationary path as with transitions drawn independently."
    ),
    check=check,
    prove=lambda: kit.proved(
        "dᵀP = dᵀ on symbols, n = 2, 3: each transition of the path has the law of a single draw",
        kit.shown(powers_keep_row_sums_and_law, at=(2, 3)),
    ),
    variant=kit.FalseVariant("So have two updates in a row: E A₁A₀ = A².", two_in_a_row),
    ablations=models.any_chain(),
    notes=("The limit then is that of thm_4_4 and thm_4_6, which are decided along paths.",),
)
