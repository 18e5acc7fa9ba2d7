"""THE TABLE: every statement of the paper, in paper order, and the module that decides it.

Deb, Gandhi, Bhatnagar, *Schedule Based Temporal Difference Algorithms*, AISTATS 2022, arXiv 2111.11768.
``module=None`` marks a statement that is still open: ``tdcert verify`` counts those out loud.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import MappingProxyType

from tdcert.claims.claim import Claim
from tdcert.theory.enclose.statements import AskedStatement
from tdcert.theory.formal.record import valid_record
from tdcert.theory.formal.sources import AS_STATED, CORRECTED
from tdcert.theory.forms import Form, NormBound

INTRODUCTION = "Sections 1 and 2: schedule, return, trace"
OFF_POLICY = "Section 3: off-policy and gradients"
CONVERGENCE = "Section 4: convergence"
EXPERIMENTS = "Appendix A5: experiments"
BEYOND = "Beyond the paper"
OWN = "Claims of your own"
MAIN = ("thm_4_3", "thm_4_4", "thm_4_6")
"""The theorems that the paper is about: the report answers them first."""


@dataclass(frozen=True)
class Entry:
    """One row of the table. ``module`` is the claim's file in ``claims/`` (its id), or None while open.

    ``own``: the claim itself, and ``file`` where it is written, for one that is not of the table
    (:mod:`tdcert.claims.own`); ``given``: the path that names it on the command line, if one does; ``digest``: of the
    file.
    """

    id: str
    section: str
    place: str
    title: str
    module: str | None = None
    own: Claim | None = None
    file: str = ""
    given: str = ""
    digest: str = ""

    @property
    def is_open(self) -> bool:
        """Whether nothing decides this statement yet."""
        return self.module is None and self.own is None

    @property
    def asked_as(self) -> str:
        """What names it on the command line: its id, or the file that it was given by."""
        return self.given or self.id

    @property
    def is_of_the_paper(self) -> bool:
        """Whether the paper states it."""
        return self.section not in (BEYOND, OWN)

    @property
    def is_empirical(self) -> bool:
        """Whether it is about an experiment, which is known without loading the claim."""
        return self.section == EXPERIMENTS if self.own is None else self.own.empirical

    def load(self) -> Claim:
        """The claim of a decided entry."""
        if self.own is not None:
            return self.own
        if self.module is None:
            raise LookupError(f"claim {self.id} is open")
        claim = import_module(f"tdcert.claims.{self.module}").CLAIM
        assert isinstance(claim, Claim) and claim.id == self.id and claim.empirical == self.is_empirical
        return claim


def _decided(id: str, section: str, place: str, title: str) -> Entry:
    return Entry(id, section, place, title, module=id)


ENTRIES: tuple[Entry, ...] = (
    _decided("td_lambda_weights", INTRODUCTION, "§1.1", "weights of the n-step returns in TD(λ)"),
    _decided("weight_matrix_rows", INTRODUCTION, "§2, Λ", "Λ is lower triangular and row-stochastic"),
    _decided("return_coefficients", INTRODUCTION, "A1", "coefficients of the rewards and values in the return"),
    _decided("weight_matrix_recursion", INTRODUCTION, "§2", "what the recursion of the return requires of Λ"),
    _decided(
        "return_expansion_display", INTRODUCTION, "§2 first display, A1 last", "the displayed expansion of the return"
    ),
    _decided("schedule_weight_bijection", INTRODUCTION, "§2, abstract", "schedules and weight laws correspond"),
    _decided("delta_expansion", INTRODUCTION, "§2", "the return as a sum of TD errors"),
    _decided("n_step_special_case", INTRODUCTION, "§2 obs. (1)", "n-step TD as a special case"),
    _decided("monte_carlo_special_case", INTRODUCTION, "§2 obs. (2)", "Monte Carlo as a special case"),
    _decided("td_lambda_special_case", INTRODUCTION, "§2 obs. (3)", "TD(λ) as a special case"),
    _decided("online_equivalence", INTRODUCTION, "§2 obs. (1)–(3)", "the special cases as online algorithms"),
    _decided("trace_window", INTRODUCTION, "§2, §4", "the trace is a window of L + 1 states"),
    _decided("trace_not_recursive", INTRODUCTION, "§2", "the trace has no recursion in itself alone"),
    _decided(
        "equal_weights_schedule", INTRODUCTION, "§2.1", "EqualWeights(n1, n2) weights n1- to n2-step returns equally"
    ),
    _decided("algorithm_1_indices", INTRODUCTION, "Algorithm 1", "the indices of the pseudo-code"),
    _decided("off_policy_expansion", OFF_POLICY, "§3", "the off-policy return as a sum of TD errors"),
    _decided("return_recursion", OFF_POLICY, "§3, A2", "the recursion of the return"),
    _decided("bellman_operator", OFF_POLICY, "§3", "the λ-schedule Bellman operator"),
    _decided("lemma_3_1", OFF_POLICY, "§3, A3.1", "Lemma 3.1: J(θ) as a product of expectations"),
    _decided("thm_3_2", OFF_POLICY, "§3, A3.2", "Theorem 3.2: from the target to the behaviour policy"),
    _decided("lemma_3_3", OFF_POLICY, "§3, A3.3", "Lemma 3.3: index shift under stationarity"),
    _decided("thm_3_4", OFF_POLICY, "§3, A3.4", "Theorem 3.4: forward view equals backward view"),
    _decided("mspbe_gradient", OFF_POLICY, "§3", "the gradient of J and its TDC split"),
    _decided("window_chain", CONVERGENCE, "§4", "the window X_t is a Markov chain"),
    _decided("lemma_a4_1", CONVERGENCE, "A4.1", "Lemma A4.1: correlations through powers of P"),
    _decided("telescoping", CONVERGENCE, "A4.1", "the trace sum telescopes to M − I"),
    _decided("stationary_norm", CONVERGENCE, "A4.1", "P does not expand the D-norm"),
    _decided("m_contraction", CONVERGENCE, "A4.1", "M contracts the D-norm by γ"),
    _decided("prop_4_1", CONVERGENCE, "§4, A4.1", "Proposition 4.1: A is negative definite"),
    _decided("thm_4_2", CONVERGENCE, "§4, Theorem 4.2", "Theorem 4.2: stochastic approximation under Markov noise"),
    _decided("thm_4_2_conditions", CONVERGENCE, "§4, proof of Theorem 4.3", "(B1)–(B5) hold for TD(λ)-schedule"),
    _decided("thm_4_3", CONVERGENCE, "§4", "Theorem 4.3: TD(λ)-schedule converges to −A⁻¹b"),
    _decided("thm_4_4_g_negative_definite", CONVERGENCE, "A4.2", "GTD's matrix G is negative definite"),
    _decided("thm_4_4_block_inverse", CONVERGENCE, "A4.2", "the block inverse and GTD's limit"),
    _decided("thm_4_4", CONVERGENCE, "§4", "Theorem 4.4: GTD(λ)-schedule converges to −A⁻¹b"),
    _decided(
        "thm_4_5_conditions",
        CONVERGENCE,
        "§4, Theorem 4.5 and its use",
        "Theorem 4.5: (C1)–(C6), and whether TDC(λ)-schedule meets them",
    ),
    _decided(
        "thm_4_6",
        CONVERGENCE,
        "§4 (printed as 4.6 and 4.7)",
        "Theorem 4.6: TDC(λ)-schedule converges to −A⁻¹b",
    ),
    _decided("step_size_conditions", CONVERGENCE, "Assumptions 1, 4, 5", "which polynomial step sizes qualify"),
    _decided("state_dependent_lambda", CONVERGENCE, "Related work", "state-dependent λ as a special case"),
    _decided("non_unique_stationary", CONVERGENCE, "§1.1, §5, A6 remark 1", "several stationary laws"),
    _decided("exp_random_walk_100", EXPERIMENTS, "A5.1", "100-state random MDP"),
    _decided("exp_random_chain", EXPERIMENTS, "A5.2", "random chain"),
    _decided("exp_baird", EXPERIMENTS, "A5.3", "Baird's counterexample"),
    _decided("exp_gtd_lambda", EXPERIMENTS, "A5.3", "GTD(λ) diverges for high λ"),
    _decided("sharp_modulus", BEYOND, "A4.1, sharpened", "the norm of M is exactly κ"),
    _decided("negative_margin", BEYOND, "Proposition 4.1, sharpened", "how negative A is"),
    _decided("error_bound", BEYOND, "§4, sharpened", "error of the fixed point"),
    _decided("representable_value", BEYOND, "§4", "θ* when the value is representable"),
    _decided("off_policy_margin", BEYOND, "§3, §4", "off-policy conditions for A < 0"),
    _decided("two_timescale_ratio", BEYOND, "Assumptions 4, 5", "step-size ratios for which TDC is stable"),
    _decided("trace_variance", BEYOND, "§3", "second moment of the off-policy trace"),
    _decided("mean_square_stability", BEYOND, "§4", "constant steps: mean-square and path stability"),
    _decided("path_growth", BEYOND, "§4", "paths, mean square and mean are three questions"),
    _decided("finite_time_moments", BEYOND, "§4", "mean and covariance of the iterates at every t"),
    _decided("clt_covariance", BEYOND, "§4", "covariance of the averaged iterates"),
    _decided("equal_weights_recursion", BEYOND, "§2.1", "an O(d) recursion of the EqualWeights trace"),
    _decided("invariances", BEYOND, "§2–§4", "what leaves the verdicts unchanged"),
    _decided("episodic_discount", BEYOND, "§2–§4", "discounts that depend on the transition"),
    _decided("stationary_features", BEYOND, "Proposition 4.1, generalised", "stationary feature processes"),
    _decided("lambda_outside_unit_interval", BEYOND, "Proposition 4.1, generalised", "λ outside [0,1]"),
    _decided("any_square_summable_steps", BEYOND, "§4, (B4)", "averaging under arbitrary square-summable steps"),
    _decided("schedules_without_end", BEYOND, "§2, Theorem 4.3", "convergence for schedules without end"),
    _decided("deterministic_steps", BEYOND, "Assumption 1", "steps that follow the path"),
    _decided(
        "almost_sure_rate",
        BEYOND,
        "§4",
        "rate from Poisson solutions, and a bound for ever after, with steps a/(t + t_0)",
    ),
    _decided("time_scale_ratio_suffices", BEYOND, "Assumption 5", "a bound on α_t/β_t is enough for TDC"),
    _decided("gae_is_lambda_return", BEYOND, "§2 obs. (3)", "GAE is the λ-return less the value"),
    _decided("vtrace_on_policy", BEYOND, "§3", "V-trace on-policy is the n-step return"),
)


@cache
def claims_with_forms() -> Mapping[str, Claim]:
    """The decided claims that state the sign of a matrix (``Claim.form``), by id, in paper order."""
    decided = (row.load() for row in ENTRIES if not row.is_open)
    return MappingProxyType({claim.id: claim for claim in decided if claim.form is not None})


@cache
def asked_in_enclosures() -> Mapping[str, AskedStatement]:
    """What enclosures are asked: the claims that are no more than their form, each with its theorem if it has one."""
    return MappingProxyType(
        {
            name: AskedStatement(claim.form, claim.hypotheses, _theorem(claim))
            for name, claim in claims_with_forms().items()
            if claim.form is not None and not claim.form_is_part
        }
    )


def _theorem(claim: Claim) -> str:
    """The machine-checked theorem that an inequality with equality cases may rest on: enclosures never reach those."""
    form, (record, _) = claim.form, valid_record()
    if record is None or claim.id in record.left_out or not isinstance(form, Form | NormBound) or form.strict:
        return ""
    return next((theorem.name for theorem in record.of(claim.id) if theorem.reading in (AS_STATED, CORRECTED)), "")


def entry(claim_id: str) -> Entry:
    """The row of one claim; raises KeyError for an unknown id."""
    return {row.id: row for row in ENTRIES}[claim_id]
