"""What Theorems 4.3, 4.4 and 4.6 share: instance checks of the limit, and simulation against exact moments."""

from __future__ import annotations

from collections.abc import Callable

from theory.arithmetic import RationalMatrix
from theory.check.evidence import fixed_point_certificate, stationary_certificate, strings
from theory.check.mean_dynamics import Dynamics, MeanDynamics
from theory.errors import SingularMatrixError
from theory.model.key_matrices import behaviour_matrices, theorem_matrices
from theory.model.mdp import Model
from theory.verdict import Certificate, Grade, Status, Verdict


def check_limit(model: Model, dynamics: Callable[[Model, tuple[int, ...]], Dynamics]) -> Verdict:
    """The algorithm's mean dynamics has the theorem's θ* = −A⁻¹b as its globally stable point, the same on every class.

    A and b are the theorem's (target kernel); stability and rest point are those of what the algorithm meets
    (covered kernel).
    """
    limits: list[RationalMatrix] = []
    certificates: list[Certificate] = []
    for states in model.behaviour_chain.recurrent_classes:
        keys = theorem_matrices(model, states)
        found = dynamics(model, states)
        kept = (found.certificate,) if found.certificate is not None else ()
        try:
            theta = keys.theta_star
        except SingularMatrixError:
            if found.mean_dynamics is MeanDynamics.UNDECIDED:
                return Verdict(Status.UNDECIDED, detail=found.reason)
            null = keys.A.null_vector()
            witness = {"A": keys.A.to_strings(), "b": strings(keys.b)} if model.d <= 3 else {}
            if null is not None:
                witness["x"] = strings(null)
            return Verdict(
                Status.REFUTED, Grade.CERTIFIED, "A is singular: −A⁻¹b does not exist", witness, certificates=kept
            )
        if found.mean_dynamics is MeanDynamics.UNDECIDED:
            return Verdict(Status.UNDECIDED, detail=found.reason)
        if found.mean_dynamics is not MeanDynamics.STABLE:
            rate = ["unknown"] if found.rate is None else [str(end) for end in found.rate]
            witness = {"matrix": found.matrix, "rate": rate}
            return Verdict(Status.REFUTED, Grade.CERTIFIED, found.reason, witness, certificates=kept)
        met = behaviour_matrices(model, states)
        if not (met.A @ theta + met.b).is_zero():
            witness = {"theta_star": strings(theta), "rest point": strings(met.theta_star)}
            return Verdict(Status.REFUTED, Grade.CERTIFIED, "the mean dynamics under μ rests elsewhere", witness)
        limits.append(theta)
        if theta != limits[0]:
            witness = {"first class": strings(limits[0]), "other class": strings(theta)}
            return Verdict(Status.REFUTED, Grade.CERTIFIED, "the limit depends on the class that is entered", witness)
        fixed = fixed_point_certificate(keys, states, "target", theta)
        certificates += [
            c for c in (*kept, fixed, stationary_certificate(model.behaviour_chain, states)) if c is not None
        ]
    return Verdict(
        Status.HOLDS, Grade.CERTIFIED, "the mean dynamics is stable at −A⁻¹b", certificates=tuple(certificates)
    )
