r"""Mean and covariance of the iterates at every time.

Place: §4, X_t = (s_{t−L}, …, s_{t+1}) and the updates θ_{t+1} = θ_t + α_t(A(X_t)θ_t + b(X_t)).
Statement: with y = (θ, 1) for TD, (θ, w, 1) for GTD and TDC, y_{t+1} = B_t y_t where B_t depends on the window alone;
Y_t(h) = E[y_t y_tᵀ 1{window = h}] obeys Y_{t+1}(h') = Σ_h p(h → h') B Y_t(h) Bᵀ, and Σ_h Y_t(h) holds E θ_t, E w_t
and all second moments.
Hypotheses: none; up to time t only λ_1 … λ_{t−1} act, so a schedule without end is cut there.
Model: any, with steps 1/2, 1/3 from θ_0 = (1, 2, …), w_0 = 0, in state 1.
Check: propagated mean and mean square of θ_0ᵀθ_t at t = 2 (t = 1 where paths are many) against the mean over all
paths of the updates themselves.
Closed form: the recursion above.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tdcert.algorithms.schedules import chain_of
from tdcert.claims import kit
from tdcert.claims.dgb22.episodic_discount import count_paths
from tdcert.claims.kit import Context, Expression, Fraction, Model, RationalMatrix, Verdict, holds, its, refuted, shown
from tdcert.theory.errors import BudgetExceededError
from tdcert.theory.expressions.relations import relation_certificate
from tdcert.theory.identities import propagation as identities
from tdcert.theory.laws.moments import Moments, finite_time_moments

STEPS = (Fraction(1, 2), Fraction(1, 3))
"""α_0, α_1, and β_0, β_1 the other way round."""
PATHS = 40
"""Most paths that are walked."""
EXACT_WORK = 1_000
"""Most transitions times width³ for propagation in fractions; beyond it floats with their rounding bounds."""
GRADIENT_WORK = 5_000
"""Most of it for GTD and TDC, whose updates take long to write out along every path."""


def prove() -> kit.Proof:
    """The recursion against all paths, symbolic; one more step is the same linear map again."""
    return kit.proved(
        "second moments of a jump linear system with free weights, maps and start: the recursion equals the sum "
        "over all paths, two windows, one free coordinate, t = 1, 2, 3",
        shown(identities.jump_moments_identity, at=(1, 2, 3)),
    )


def check(model: Model) -> Verdict:
    """Propagation against enumeration for TD, and for GTD and TDC where windows and features are few."""
    certificates: list[kit.Certificate] = []
    done: list[str] = []
    states = model.behaviour_chain.recurrent_classes[0]
    theta = RationalMatrix.column([k + 1 for k in range(model.d)])
    context = Context(model, states, theta=theta)
    for algorithm, t, moments in _propagated(model):
        projected = its.theta.T @ iterate(algorithm, t)
        relations: list[kit.Relation] = []
        for power, (value, bound) in enumerate(_projected(moments, theta), start=1):
            walked = kit.expected("mu", 0, t, projected**power)
            low, high = value - bound, value + bound
            found = kit.evaluate(walked, context)[0, 0]
            if not low <= found <= high:
                shown = {"algorithm": algorithm, "t": str(t), "over all paths": str(found), "propagated": str(value)}
                return refuted(f"{algorithm} at t = {t}: moment {power} differs", shown)
            relations += (
                [(walked, "=", str(value))] if bound == 0 else [(str(low), "<=", walked), (walked, "<=", str(high))]
            )
        certificates.append(relation_certificate(context, relations))
        done.append(
            f"{algorithm} at t = {t}" + (" within rounding bounds" if moments.second_rounding is not None else "")
        )
    detail = "mean and mean square of θ_0ᵀθ_t over all paths: " + ", ".join(done)
    return holds(detail, by=certificates)


def _propagated(model: Model) -> Iterator[tuple[str, int, Moments]]:
    """Algorithm, time and propagated moments, as far as paths and work allow; TD always."""
    t = 2 if count_paths(model, (0,), 2) <= PATHS else 1
    start = [Fraction(int(s == 0)) for s in range(model.n)]
    known = model.schedule
    lambdas = known.lambdas[: t - 1] if known.is_finite else (known.tail,) * (t - 1)
    short = model.with_schedule(kit.Schedule(lambdas))
    steps = (list(STEPS), list(STEPS[::-1]))
    theta0 = [Fraction(k + 1) for k in range(model.d)]
    edges = 0
    for algorithm in ("off_policy_td", "gtd", "tdc"):
        width = model.d + 1 if algorithm == "off_policy_td" else 2 * model.d + 1
        if edges * width**3 > GRADIENT_WORK:
            continue
        chain = chain_of(short, algorithm, start)
        edges = len(chain.source)
        exact = edges * width**3 <= EXACT_WORK
        (moments,) = finite_time_moments(chain, steps, [t], chain.first(theta0), exact=exact)
        yield algorithm, t, moments


def _projected(moments: Moments, theta: RationalMatrix) -> list[tuple[Fraction, Fraction]]:
    """Mean and mean square of θ_0ᵀθ_t, each with a bound of its rounding (zero where exact).

    Θ_0 has no negative entry.
    """
    d = theta.shape[0]
    ends = [*theta.column_entries()]

    def moment(Y: Any, power: int) -> Fraction:
        if power == 1:
            return sum((x * Fraction(Y[i, -1]) for i, x in enumerate(ends)), start=Fraction(0))
        return sum((ends[i] * ends[j] * Fraction(Y[i, j]) for i in range(d) for j in range(d)), start=Fraction(0))

    bounds = moments.second * 0 if moments.second_rounding is None else moments.second_rounding
    try:
        return [(moment(moments.second, power), moment(bounds, power)) for power in (1, 2)]
    except (OverflowError, ValueError):  # infinite floats, or none
        raise BudgetExceededError("the propagated moments leave the range of floats") from None


def iterate(
    algorithm: str,
    t: int,
    steps: tuple[Sequence[Fraction], Sequence[Fraction]] = (STEPS, STEPS[::-1]),
    start: Expression = its.theta,
) -> Expression:
    """θ_t along a path, from the updates of §2 and §3 themselves, with θ_0 = ``start``, w_0 = 0 and ``steps`` α, β."""
    theta: Expression = start
    w: Expression = 0 * start
    for k in range(t):
        alpha, beta = steps[0][k], steps[1][k]
        z, phi, ahead = its.z_rho(k), its.phi(k), its.discount(k) * its.phi(k + 1)
        delta = its.reward(k) + (ahead - phi).T @ theta
        zw, gram = z.T @ w, phi @ phi.T @ w
        change = {
            "off_policy_td": delta * z,
            "gtd": zw * (phi - ahead),
            "tdc": delta * z - (zw * (ahead - phi) + gram),
        }[algorithm]
        theta, w = theta + alpha * change, w + beta * (delta * z - gram)
    return theta


CLAIM = kit.Claim(
    id="finite_time_moments",
    stated=kit.Reading(
        r"$Y_t(h) = E[y_t y_t^T 1\{\mathrm{window} = h\}]$, $y = (\theta, w, 1)$, obeys $Y_{t+1}(h') = \sum_h p(h "
        r"\to h') \, B \, Y_t(h) \, B^T$; its sum over $h$ holds "
        r"$E\theta_t$ and $\mathrm{Cov}\, \theta_t$, exactly, at every $t$."
    ),
    anchors=(
        r"$b(X_t) = z_t R_{t+1}$ and $A(X_t) = z_t(\gamma\phi_{t+1}^{T} - \phi_{t}^T)$",
        r"\label{GTDLambdaSchedule}",
        r"\label{TDCLambdaScehdule}",
    ),
    check=check,
    prove=prove,
)
