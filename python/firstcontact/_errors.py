"""The exception of the package."""

from __future__ import annotations


class Error(Exception):
    """An error in a file, a name, an option or a device.

    An array of the wrong shape raises `ValueError`, and an object that is not an array raises `TypeError`.

    Attributes:
        kind: "input", "usage", "memory", "gpu", "output", "busy", "closed" or "interrupted".
        file: The file that the error is about, if any.
        place: The place in the file or in the call, if known: a line, a link, a joint, a motion.
        remedy: What you can do about it, if known.
    """

    def __init__(
        self,
        message: str,
        kind: str = "usage",
        file: str | None = None,
        place: str | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.file = file
        self.place = place
        self.remedy = remedy

    def __reduce__(self) -> tuple[type[Error], tuple[str, str, str | None, str | None, str | None]]:
        return type(self), (str(self), self.kind, self.file, self.place, self.remedy)
