"""Certificates: proofs of answers, verified by a program that is independent of the engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Verification:
    """The statements that the certificates in a file prove.

    They are established by a verifier that shares no code with the engine.
    """

    refusal: str | None
    """The first certificate, pair and step that is refused, with the reason; None if all are valid."""
    free: int
    """Number of motions that are proved free."""
    contact: int
    """Number of motions with a proved contact, before which nothing touches."""
    possible: int
    """Number of motions with a possible, unproved contact, before which nothing touches."""
    undecided: int
    """Number of undecided motions, in which nothing touches before `clear_until`."""
    steps: int
    """Number of steps of all proofs."""
    without: list[int]
    """Numbers of the motions without a certificate."""

    @property
    def is_valid(self) -> bool:
        """True if every motion has a certificate, and all are valid."""
        return self.refusal is None and not self.without
