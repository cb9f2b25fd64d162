"""The exception of the package."""

from __future__ import annotations

import re

# Advice of the library about the command, and what it is here.
_PHRASES = {
    "firstcontact info --robot prints the columns in order": "Robot.joints has them in order",
    "firstcontact info --robot R prints the columns": "Robot.joints has them in order",
    "firstcontact info --robot R lists the links; with several robots, write ROBOT/LINK": "Robot.links has them",
    "--robot reads URDF": "Robot.from_urdf reads URDF",
}
_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)(?: (cpu|gpu|linear|0|DIR)\b)?")


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


def from_native(message: str, kind: str, file: str | None, place: str | None, advice: str | None) -> Error:
    """An error of the library. Its advice names options of the command, which are arguments here."""
    if advice is None:
        return Error(message, kind, file, place)
    remedy = advice
    for phrase, words in _PHRASES.items():
        remedy = remedy.replace(phrase, words)
    remedy = _OPTION.sub(_argument, remedy)
    before, found, after = message.rpartition(advice)
    return Error(before + remedy + after if found else message, kind, file, place, remedy)


def _argument(option: re.Match[str]) -> str:
    """``--chord-error`` as ``chord_error=``, ``--backend cpu`` as ``device="cpu"``."""
    name, value = option.groups()
    name = "device" if name == "backend" else name.replace("-", "_")
    quoted = f'"{value}"' if value in ("cpu", "gpu", "linear") else value or ""
    return f"{name}={quoted}"
