r"""State-dependent λ as a special case of the λ-schedule.

Place: Related work.
Statement: printed, λ_1 = λ(s_t), λ_2 = λ(s_{t+1}), … gives TD with state-dependent λ. The usual one (Sutton and Barto,
§12.8) has the return R + γ[(1 − λ(s_{t+1}))V' + λ(s_{t+1})G'] and the trace z_t = γλ(s_t)z_{t−1} + φ_t: the printed
indices are off by one.
Corrected: λ_j = λ(s_{t+j}).
Hypotheses: none. The schedule is then random, so the theorems of §4 do not cover it.
Model: any, with λ(s) = 1, ½, 0, ⅓ in turn over its states.
Check: Σ_t δ_t z_t = Σ_t (G_t − V(s_t))φ_t along paths of three steps, θ frozen, returns cut at the end.
Closed form: δ_t meets φ_k with the weight γ^{t−k}λ(s_{k+1})…λ(s_t), in both views.
"""

from tdcert.claims import kit
from tdcert.claims.kit import Expression, Model, Name, Path, Verdict, along, its, some_paths, some_theta, total
from tdcert.theory.identities import return_weights as identities
from tdcert.theory.words import counted

LAMBDAS = tuple(map(Name, ("1", "1/2", "0", "1/3")))
"""λ(s), in turn over the states."""
STEPS = 3
PRINTED = 1
"""The printed schedule starts with λ(s_t): its indices are late by one."""


def prove() -> kit.Proof:
    """Forward against backward for free λ(s_0), λ(s_1), …; with the printed indices they differ."""
    steps = range(1, 6)
    kit.require(
        not any(identities.state_lambdas_agree(count, PRINTED) for count in steps if count > 1),
        "the printed indices agree with the trace as well",
    )
    return kit.proved(
        "Σ δ_t z_t = Σ (G_t − V(s_t))φ_t over paths of 1 … 5 steps, free λ(s_k), rewards, values, features and γ; "
        "with the printed indices it fails from 2 steps on",
        kit.shown(identities.state_lambdas_agree, at=[(count, 0) for count in steps]),
    )


def return_along(path: Path, t: int, last: int, shift: int = 0) -> Expression:
    """G_t with λ_j = λ(s_{t+j−shift}), cut at the end of the path."""
    value: Expression = its.v(last)
    for k in reversed(range(t, last)):
        lam = LAMBDAS[path.states[k + 1 - shift] % len(LAMBDAS)]
        value = (1 - lam) * its.v(k + 1) + lam * value if k + 1 < last else value
        value = its.reward(k) + its.discount(k) * value
    return value


def trace_along(path: Path, t: int) -> Expression:
    """z_t = Γ_{t−1}λ(s_t)z_{t−1} + φ_t from z_0 = φ_0."""
    z: Expression = its.phi(0)
    for k in range(1, t + 1):
        lam = LAMBDAS[path.states[k] % len(LAMBDAS)]
        z = its.discount(k - 1) * lam * z + its.phi(k)
    return z


def agree_along(model: Model, shift: int) -> Verdict:
    """Forward and backward updates in sum, with that shift of the indices in the return."""
    paths, relations = some_paths(model, STEPS), []
    for path in paths:
        returns = [return_along(path, t, STEPS, shift) for t in range(STEPS)]
        forward = total([(found - its.v(t)) * its.phi(t) for t, found in enumerate(returns)])
        backward = total([its.delta(t) * trace_along(path, t) for t in range(STEPS)])
        relations.append((along(path, forward), "=", along(path, backward)))
    detail = f"{STEPS} frozen updates along {counted(len(paths), 'path')}, forward and backward"
    return kit.decide_along(model, (), (), others=relations, theta=some_theta(model.d), detail=detail)


def check(model: Model) -> Verdict:
    """The corrected indices."""
    return agree_along(model, 0)


def judge_stated() -> kit.Refutation:
    """Flip chain, γ = ½, λ(1) = 1, λ(2) = 0, V = 0, from state 2: the usual return is ½, the printed one stops at 0."""
    model = kit.flip_chain()
    path = Path((1, 0, 1), (0, 0))
    lambdas = Name(1), Name(0)
    usual = its.reward(0) + its.discount(0) * _mixed(lambdas[path.states[1]])
    printed = its.reward(0) + its.discount(0) * _mixed(lambdas[path.states[0]])
    verdict = kit.decide_relations(model, [(along(path, usual), "=", along(path, printed))], theta=[0])
    return kit.explained(
        verdict,
        model,
        "the printed indices use λ(s_t) where the return needs λ(s_{t+1})",
        "usual return",
        "printed return",
        path="2, 1, 2",
        λ="λ(1) = 1, λ(2) = 0",
        θ="0",
    )


def _mixed(lam: Expression) -> Expression:
    """(1 − λ)V(s_1) + λ(R_2 + γV(s_2))."""
    return (1 - lam) * its.v(1) + lam * (its.reward(1) + its.discount(1) * its.v(2))


CLAIM = kit.Claim(
    id="state_dependent_lambda",
    stated=kit.Reading(
        r"State-dependent $\lambda$ is the $\lambda$-schedule with $\lambda_1 = \lambda(s_t)$, $\lambda_2 = "
        r"\lambda(s_{t+1})$, and so on.",
        quote=(
            r"State-dependent $\lambda$ can be derived as a special case of our $\lambda$-schedule procedure by "
            r"letting $\lambda_{1}=\lambda(s_{t})$, $\lambda_{2}=\lambda(s_{t+1})$, etc."
        ),
        place="§5",
    ),
    corrected=kit.Reading(
        r"State-dependent $\lambda$ is the (random) $\lambda$-schedule with $\lambda_j = \lambda(s_{t+j})$, "
        r"$j = 1, 2, \ldots$."
    ),
    correction=kit.Finding.MISPRINT,
    judge_stated=judge_stated,
    anchors=(r"by letting $\lambda_{1}=\lambda(s_{t})$, $\lambda_{2}=\lambda(s_{t+1})$, etc.",),
    check=check,
    prove=prove,
    notes=("The schedule depends on the path, so Theorems 4.3 to 4.6, which fix one schedule, do not cover it.",),
)
