"""What a verification's claims rest on, gathered and counted, in the words of page and terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tdcert.claims.claim import Finding
from tdcert.claims.paper import papers
from tdcert.reports.labels import PRINTED, SCOPES, STATUSES
from tdcert.theory.verdict import Grade, Scope
from tdcert.theory.words import counted

if TYPE_CHECKING:
    from tdcert.verification.verification import ClaimVerdict, ReadingVerdict, Replayable, Standing, Verification


@dataclass(frozen=True)
class Tally:
    """What the page counts beside the summary.

    ``undecided``: examined, but decided neither for nor against as printed; ``open``: not examined yet, and
    ``not_decidable``: not decidable here, for a mathematical reason; ``examined``: statements of the paper;
    ``corrected``: of them by status; ``hypotheses``: by whether they are needed, ``undefined`` of those because
    something does not exist without them; ``witnesses``: to check by hand; ``only_consistent``: by simulation alone.
    """

    undecided: tuple[ClaimVerdict, ...]
    open: tuple[ClaimVerdict, ...]
    not_decidable: tuple[ClaimVerdict, ...]
    examined: int
    corrected: Mapping[str, int]
    hypotheses: Mapping[bool | None, int]
    undefined: int
    witnesses: int
    comparisons: int
    agreeing: int
    only_consistent: tuple[ClaimVerdict, ...]
    certificates: int


def tally(run: Verification) -> Tally:
    """The counts of these claims."""
    claims = run.claims
    paper = [claim for claim in claims if claim.entry.is_of_the_paper]
    hypotheses = [hypothesis for claim in claims for hypothesis in claim.hypotheses]
    decided = [claim for claim in claims if claim.finding is not Finding.OPEN]
    exact = [claim for claim in decided if claim.finding is not Finding.EMPIRICAL]  # no hand checks what runs show
    compared = [comparison for claim in claims for comparison in claim.simulations]
    return Tally(
        undecided=tuple(claim for claim in claims if claim.finding is Finding.OPEN and claim.stated),
        open=tuple(claim for claim in claims if not claim.stated and not claim.entry.not_decidable),
        not_decidable=tuple(claim for claim in claims if claim.entry.not_decidable),
        examined=sum(bool(claim.stated) for claim in paper),
        corrected=Counter(
            str(claim.corrected.status) for claim in paper if claim.corrected and claim.finding is not Finding.EMPIRICAL
        ),
        hypotheses=Counter(hypothesis.needed for hypothesis in hypotheses),
        undefined=sum(bool(h.needed and h.counterexample and h.counterexample.undefined) for h in hypotheses),
        witnesses=sum(bool(reading.witness) for claim in exact for reading in claim.readings.values()),
        comparisons=len(compared),
        agreeing=sum(comparison.agrees for comparison in compared),
        only_consistent=tuple(c for c in decided if grades_of(*c.readings.values()) == [Grade.CONSISTENT]),
        certificates=len({path for claim in claims for path in certificates_of(claim)}),
    )


def grades_of(*readings: ReadingVerdict) -> list[Grade]:
    """The grades of evidence that readings rest on, strongest first."""
    found = {scope.evidence.grade for reading in readings for scope in reading.scopes}
    return [grade for grade in Grade if grade in found]


def certificates_of(part: ClaimVerdict | ReadingVerdict) -> list[str]:
    """The paths of all certificates, in order, each once."""
    return list(dict.fromkeys(path for scope in part.scopes for path in scope.certificates))


def evidence_counts(claim: ClaimVerdict) -> list[tuple[Grade, int]]:
    """How many cases each grade covers, strongest first."""
    counts: Counter[Grade] = Counter()
    for scope in claim.scopes:
        counts[scope.evidence.grade] += scope.evidence.count
    return [(grade, counts[grade]) for grade in Grade if counts[grade]]


def standing(found: Standing, words: Mapping[str, str] = PRINTED) -> str:
    """How statements stand as printed, each counted once, in one line: what the page and the terminal say."""
    parts = [_agreeing(found.findings[key], said) for key, said in words.items() if found.findings[key]]
    tried = found.experiments
    if tried:
        verbs = {"holds": "hold"}
        statuses = ", ".join(
            f"{count} {verbs.get(key, STATUSES[key][1]) if count > 1 else STATUSES[key][1]}"
            for key, count in tried.items()
        )
        parts.append(f"{sum(tried.values())} about experiments ({statuses})")
    return ", ".join(parts)


def _agreeing(count: int, said: str) -> str:
    """``1 holds as printed``, ``2 hold as printed``."""
    first, *rest = said.split(" ")
    one = {"hold": "holds", "need": "needs", "misprints": "misprint"}
    return " ".join([str(count), one.get(first, first) if count == 1 else first, *rest])


def is_wide(scopes: Iterable[Replayable]) -> bool:
    """Whether something is proved for all sizes, not at stated ones alone."""
    return any(x.evidence.scope is Scope.ALL_SIZES and x.evidence.grade is Grade.PROVED for x in scopes)


def evidence_words(reading: ReadingVerdict) -> list[tuple[Grade, str]]:
    """Each grade of a reading, strongest first, with how much of it there is."""
    words = []
    for grade in grades_of(reading):
        parts = [scope.evidence for scope in reading.scopes if scope.evidence.grade is grade]
        reach = f"{grade}, {counted(sum(part.count for part in parts), *SCOPES[parts[0].scope])}"
        if grade is Grade.PROVED:
            reach = "proved, all sizes" if is_wide(reading.scopes) else "proved at some sizes"
        words.append((grade, reach))
    return words


@dataclass(frozen=True)
class MainAnswer:
    """What is found about a theorem that the paper is about; ``needed``: hypotheses that it does need."""

    claim: ClaimVerdict
    reading: ReadingVerdict
    needed: tuple[str, ...]

    @property
    def name(self) -> str:
        """The theorem's, without what it says."""
        return self.claim.entry.title.partition(":")[0]


def question(found: Sequence[MainAnswer]) -> str:
    """What they answer: "Do Theorems 4.3 and 4.4 hold?"; a kind that all names begin with is said once. A title
    that does not begin with such a name is no part of it.
    """
    if not all(re.match(r"[A-Z]\w+ [\w.]*\d", item.name) for item in found):
        return "Does this statement hold?" if len(found) == 1 else "Do these statements hold?"
    names = [item.name for item in found]
    kinds = {name.partition(" ")[0] for name in names}
    if len(names) == 1:
        return f"Does {names[0]} hold?"
    if len(kinds) == 1:
        names = [name.partition(" ")[2] for name in names]
        names[0] = f"{kinds.pop()}s {names[0]}"
    return f"Do {', '.join(names[:-1])} and {names[-1]} hold?"


def answers(claims: Sequence[ClaimVerdict]) -> list[MainAnswer]:
    """The theorems that the paper is about: as printed, what is false, what is decided, under which hypotheses."""
    by_id = {claim.entry.id: claim for claim in claims}
    return [
        MainAnswer(claim, reading, tuple(h.statement for h in claim.hypotheses if h.needed))
        for claim in (by_id[name] for paper in papers().values() for name in paper.main if name in by_id)
        if (reading := claim.holding)
    ]
