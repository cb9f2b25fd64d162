"""Robots, scenes, motions and statements from the files that `firstcontact verify --export` writes.

The files are the canonical bytes of FORMAT.md, so their hashes are those of the certificates.
"""

import hashlib
import json
import struct
from pathlib import Path
from typing import NamedTuple

Triangle = tuple[tuple[float, float, float], ...]


class Body(NamedTuple):
    parent: int
    columns_of_orientation: list[tuple[float, float, float]]
    origin: tuple[float, float, float]
    kind: str
    axis: tuple[float, float, float]
    column: int
    multiplier: float
    offset: float


class Link(NamedTuple):
    name: str
    body: int
    triangles: list[Triangle]


class Robot(NamedTuple):
    n_columns: int
    bodies: list[Body]
    links: list[Link]
    sha256: bytes


class Scene(NamedTuple):
    names: list[str]
    objects: list[list[Triangle]]
    sha256: bytes


class Motion(NamedTuple):
    """For each segment and column the Bernstein coefficients."""

    segments: list[list[list[float]]]
    sha256: bytes


class Statement(NamedTuple):
    link_pairs: list[tuple[int, int]]
    excluded: set[tuple[int, int]]
    margin: float
    tolerance: list[float]


class Bytes:
    """Bytes that are read from the front."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def take(self, n: int) -> bytes:
        if n > len(self.content) - self.at:
            raise ValueError("the bytes end too early")
        self.at += n
        return self.content[self.at - n : self.at]

    def read(self, form: str) -> tuple:
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))

    def count(self) -> int:
        return self.read("I")[0]

    def is_at_end(self) -> bool:
        return self.at == len(self.content)

    def magic(self, text: bytes) -> None:
        if self.take(len(text)) != text:
            raise ValueError(f"it does not begin with {text!r}")

    def triangles(self) -> list[Triangle]:
        n = self.count()
        numbers = self.read(f"{9 * n}d")
        return [tuple(numbers[9 * i + 3 * k : 9 * i + 3 * k + 3] for k in range(3)) for i in range(n)]


def robot(path: Path) -> Robot:
    content = path.read_bytes()
    of = Bytes(content)
    of.magic(b"FCROBOT1")
    n_columns, n_bodies = of.read("II")
    bodies = []
    for _ in range(n_bodies):
        (parent,) = of.read("i")
        orientation = [of.read("3d") for _ in range(3)]
        origin, kind = of.read("3d"), ("fixed", "revolute", "prismatic", "free")[of.read("B")[0]]
        bodies.append(Body(parent, orientation, origin, kind, of.read("3d"), *of.read("Idd")))
    links = []
    for _ in range(of.count()):
        name = of.take(of.count()).decode()
        links.append(Link(name, of.count(), of.triangles()))
    if not of.is_at_end():
        raise ValueError("bytes follow the robot")
    return Robot(n_columns, bodies, links, hashlib.sha256(content).digest())


def scene(path: Path) -> Scene:
    content = path.read_bytes()
    of = Bytes(content)
    of.magic(b"FCSCENE1")
    names, objects = [], []
    for _ in range(of.count()):
        names.append(of.take(of.count()).decode())
        objects.append(of.triangles())
    if not of.is_at_end():
        raise ValueError("bytes follow the scene")
    return Scene(names, objects, hashlib.sha256(content).digest())


def motions(path: Path) -> list[Motion]:
    of, found = Bytes(path.read_bytes()), []
    while not of.is_at_end():
        start = of.at
        of.magic(b"FCMOTN_1")
        n_columns, n_segments = of.read("II")
        segments = []
        for _ in range(n_segments):
            degree = of.read("B")[0]
            segments.append([list(of.read(f"{degree + 1}d")) for _ in range(n_columns)])
        found.append(Motion(segments, hashlib.sha256(of.content[start : of.at]).digest()))
    return found


def statement(path: Path) -> Statement:
    of = json.loads(path.read_text())
    pairs = sorted({(min(pair), max(pair)) for pair in of["link_pairs"]})
    return Statement(pairs, {tuple(pair) for pair in of["excluded"]}, of["margin_m"], of["joint_tolerance"])
