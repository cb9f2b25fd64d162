"""Numbers in messages."""


def count(n: int, noun: str) -> str:
    """A number of things: ``1 object``, ``2 objects``."""
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
