"""What a verification counts: how statements stand, readings by status, claims by grade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tdcert.claims.claim import Finding
from tdcert.theory.verdict import Grade, Scope, Status
from tdcert.verification.verification import ClaimVerdict, Standing, Summary


@dataclass(frozen=True)
class Counted:
    """What is counted of one claim.

    ``status``: that of the stated reading, None where the claim is open; ``holds``: whether the reading that is to
    hold does; ``proved``: the scopes for which it is proved; ``in_part``: whether only a part of it is decided here.
    """

    finding: str
    status: str | None
    holds: bool = False
    proved: frozenset[str] = frozenset()
    in_part: bool = False

    @staticmethod
    def of(claim: ClaimVerdict) -> Counted:
        """What is counted of a claim's verdict."""
        reading = claim.holding
        if claim.stated is None or reading is None:
            return Counted(claim.finding, None)
        proved = frozenset(str(x.evidence.scope) for x in reading.scopes if x.evidence.grade is Grade.PROVED)
        holds = reading.status is Status.HOLDS
        return Counted(claim.finding, claim.stated.status, holds, proved, bool(reading.decides))


_COUNTED = (Finding.AS_STATED, Finding.FALSE, Finding.IMPLICIT_HYPOTHESIS, Finding.MISPRINT, Finding.NOT_DECIDABLE)


def standing(claims: Iterable[Counted]) -> Standing:
    """How these statements stand as printed."""
    findings = Counter(dict.fromkeys((*map(str, _COUNTED), "undecided", "open"), 0))
    experiments: Counter[str] = Counter()
    proved = Counter({"all_sizes": 0, "some_sizes": 0, "in_part": 0})
    statements = 0
    for claim in claims:
        statements += 1
        if claim.status is None:
            findings[claim.finding] += 1
        elif claim.finding == Finding.EMPIRICAL:
            experiments[str(claim.status)] += 1
        else:
            findings["undecided" if claim.finding == Finding.OPEN else str(claim.finding)] += 1
            if claim.proved and claim.holds:
                whole = "all_sizes" if Scope.ALL_SIZES in claim.proved else "some_sizes"
                proved["in_part" if claim.in_part else whole] += 1
    return Standing(statements, dict(findings), dict(sorted(experiments.items())), dict(proved))


def summary(claims: Sequence[ClaimVerdict], certificates: int, differences: tuple[str, ...]) -> Summary:
    """All that is counted, of these claims."""
    decided = [claim for claim in claims if claim.finding is not Finding.OPEN]
    grades: Counter[str] = Counter()
    for claim in decided:
        if claim.holding is not None:
            grades.update({str(x.evidence.grade) for x in claim.holding.scopes})
    paper = [claim for claim in claims if claim.entry.is_of_the_paper]
    return Summary(
        decided=len(decided),
        open=len(claims) - len(decided),
        stated=_sorted(str(claim.stated.status) for claim in claims if claim.stated),
        corrected=_sorted(str(claim.corrected.status) for claim in claims if claim.corrected),
        grades=dict(sorted(grades.items())),
        paper=standing(map(Counted.of, paper)),
        beyond=standing(Counted.of(claim) for claim in claims if claim not in paper),
        certificates=certificates,
        differences=differences,
    )


def _sorted(statuses: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(statuses).items()))
