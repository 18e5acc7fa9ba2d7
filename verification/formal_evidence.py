"""What the machine-checked proofs add to a claim: evidence of grade ``proved`` at all sizes, and the theorems to show.

A theorem belongs to the claim whose file it stands in, and its name says which reading it speaks about
(``theory/formal/sources.py``); nothing here decides. Where the record of the proofs does not match the sources in the
tree by hash, there is no such evidence at all, and the document says why.
"""

from __future__ import annotations

from dataclasses import dataclass

from tdcert.theory.formal.record import Record, Theorem, digest, replay_state, valid_record
from tdcert.theory.formal.sources import AS_STATED, CORRECTED, STATED_REFUTED
from tdcert.theory.verdict import Grade, Scope, ScopedEvidence
from tdcert.verification.verification import ProofsSummary

HOLDING = (AS_STATED, CORRECTED)
"""Readings of the theorems that prove what holds: as printed, or corrected."""

REFUTING = (STATED_REFUTED,)
"""Readings of the theorems that refute what is printed."""


@dataclass(frozen=True)
class FormalProofs:
    """The record that may be relied on, or None and the reason why there is none."""

    record: Record | None
    why_not: str = ""

    @staticmethod
    def load() -> FormalProofs:
        """From the tree, held against its sources."""
        return FormalProofs(*valid_record())

    def theorems(self, claim: str, readings: tuple[str, ...] = ()) -> tuple[Theorem, ...]:
        """A claim's theorems, all or those of some readings, in the order of its file."""
        found = () if self.record is None else self.record.of(claim)
        return tuple(theorem for theorem in found if not readings or theorem.reading in readings)

    def evidence(self, claim: str, readings: tuple[str, ...]) -> ScopedEvidence | None:
        """The evidence for one reading of a claim; None without a theorem."""
        found = self.theorems(claim, readings)
        if not found:
            return None
        detail = ", ".join(theorem.name.rpartition(".")[2] for theorem in found)
        left_out = self.left_out(claim)
        if left_out and readings == HOLDING:
            detail += f"; not formalised: {left_out}"
        # A statement about every size is refuted at one.
        scope = Scope.SIZES if readings == REFUTING else Scope.ALL_SIZES
        return ScopedEvidence(scope, Grade.PROVED, len(found), detail)

    def left_out(self, claim: str) -> str:
        """What the claim's file says its proofs do not cover; empty where nothing is left out."""
        return "" if self.record is None else self.record.left_out.get(claim, "")

    @property
    def summary(self) -> ProofsSummary:
        """What reports say of them, the same on every machine."""
        if self.record is None:
            return ProofsSummary(self.why_not)
        return ProofsSummary("", self.record.assistant, digest(self.record.sources))

    def state(self) -> str:
        """What this machine knows of them, for the block of the environment."""
        return f"no proof counted: {self.why_not}" if self.record is None else replay_state(self.record)
