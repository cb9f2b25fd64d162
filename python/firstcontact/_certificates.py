"""Certificates: proofs of answers, which a program that is independent of the engine verifies."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verification:
    """The statements that the certificates of a file prove.

    They are those of a verifier that shares no code with the engine.
    """

    refusal: str | None
    """The first certificate, pair and step that is refused, with the reason; None if all are valid."""
    free: int
    """Number of motions that are proved free."""
    contact: int
    """Number of motions with a proved contact, and nothing before it."""
    possible: int
    """Number of motions with a contact that is not proved, and nothing before it."""
    undecided: int
    """Number of motions without an answer, and nothing before `clear_until`."""
    steps: int
    """Number of steps of all proofs."""
    without: list[int]
    """Numbers of the motions without a certificate."""

    @property
    def is_valid(self) -> bool:
        """True if every motion has a certificate, and all are valid."""
        return self.refusal is None and not self.without
