r"""T^λ contracts the norm of the stationary law by γ(1 − λ)/(1 − γλ).

Model: any whose schedule is one λ; each recurrent class on its own.
Check: that of ``ts_modulus``.
Closed form: κ = (1 − λ)Σ λⁿ⁻¹γⁿ.
"""

from tdcert.claims import kit
from tdcert.claims.ts15 import ts_modulus

CLAIM = kit.Claim(
    id="tvr_modulus",
    stated=kit.Reading(
        r"$\|T^\lambda u - T^\lambda v\|_D \le \frac{\gamma(1-\lambda)}{1-\gamma\lambda}\|u - v\|_D$, with equality "
        r"where $u - v$ is constant."
    ),
    check=ts_modulus.check,
    prove=ts_modulus.prove,
    instances=ts_modulus.CLAIM.instances,
    variant=ts_modulus.CLAIM.variant,
    constants=ts_modulus.CLAIM.constants,
    ablations=tuple(one.at("not seen") for one in ts_modulus.CLAIM.ablations),
    rests_on=("ts_modulus",),
)
