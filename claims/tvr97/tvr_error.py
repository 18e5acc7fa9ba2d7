r"""The approximation error of the limit.

Model: any whose schedule is one λ; each recurrent class on its own.
Check: that of ``ts_error``, which cites the paper for it.
Closed form: (1 − κ²)‖Φθ* − V‖² ≤ ‖ΠV − V‖².
"""

from tdcert.claims import kit
from tdcert.claims.ts15 import ts_error

CLAIM = kit.Claim(
    id="tvr_error",
    stated=kit.Reading(r"$\|\Phi\theta^* - V\|_D \le \frac{1 - \gamma\lambda}{1 - \gamma}\|\Pi V - V\|_D$."),
    sharper=ts_error.CLAIM.sharper,
    check=ts_error.CLAIM.check,
    prove=ts_error.prove,
    instances=ts_error.CLAIM.instances,
    variant=ts_error.CLAIM.variant,
    constants=ts_error.CLAIM.constants,
    ablations=tuple(one.at("not seen") for one in ts_error.CLAIM.ablations),
    rests_on=("ts_error",),
)
