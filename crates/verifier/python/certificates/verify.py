"""Files of certificates, and what each of them proves."""

import zlib
from pathlib import Path
from typing import NamedTuple

from . import model
from .ball import add, dot, exact
from .model import Bytes, Motion
from .motion import Joint, Motions
from .proof import Pair, Refused, Tree, require, verify_pair
from .witness import cross_each_other, within

KINDS = ("free", "contact", "possible contact", "undecided")
END = 0xFFFFFFFF


class Proved(NamedTuple):
    """The statement that a certificate proves, and its number of steps."""

    kind: str
    end: tuple[int, float]
    witness: object
    steps: int


class Verifier:
    """Verifies the certificates of a file. `folder` has what `firstcontact verify --export` wrote."""

    def __init__(self, content: bytes, folder: Path) -> None:
        self.robot, self.scene = model.robot(folder / "robot.bin"), model.scene(folder / "scene.bin")
        self.motions = model.motions(folder / "motions.bin")
        self.statement = model.statement(folder / "statement.json")
        self.joints = [Joint(body) for body in self.robot.bodies]
        of = Bytes(content)
        of.magic(b"FCCERT1\n")
        require(of.take(32) == self.robot.sha256, "the certificates belong to another robot")
        require(of.take(32) == self.scene.sha256, "the certificates belong to another scene")
        self._read_partitions(Bytes(_record(of)))
        self.certificates = []
        while (raw := _record(of)) is not None:
            self.certificates.append(raw)
        require(of.read("Q")[0] == len(self.certificates) and of.is_at_end(), "the end of the file is not valid")
        require(len(self.certificates) == len(self.motions), "the numbers of certificates and motions differ")

    def _read_partitions(self, of: Bytes) -> None:
        self.objects = [i for i, triangles in enumerate(self.scene.objects) for _ in triangles]
        whole = [triangle for triangles in self.scene.objects for triangle in triangles]
        self.trees = []
        for triangles in [link.triangles for link in self.robot.links] + [whole]:
            require(of.count() == len(triangles), "a partition has the wrong number of triangles")
            order = list(of.read(f"{len(triangles)}I"))
            left = [_leb128(of) for _ in range(len(triangles) - 1)]
            self.trees.append(Tree(triangles, order, left))
        require(of.is_at_end(), "bytes follow the partitions")

    def pairs(self):
        """The pairs of the statement in their order."""
        links, bodies = self.robot.links, [link.body for link in self.robot.links]
        if self.objects:
            for i, link in enumerate(links):
                excluded = lambda triangle, i=i: (i, self.objects[triangle]) in self.statement.excluded  # noqa: E731
                yield Pair(f"{link.name} and the scene", (self.trees[i], self.trees[-1]), (bodies[i], -1), -1, excluded)
        for i, j in self.statement.link_pairs:
            name, frame = f"{links[i].name} and {links[j].name}", self.common_frame(bodies[i], bodies[j])
            yield Pair(name, (self.trees[i], self.trees[j]), (bodies[i], bodies[j]), frame, lambda _: False)

    def common_frame(self, a: int, b: int) -> int:
        above = set()
        while a >= 0:
            above.add(a)
            a = self.robot.bodies[a].parent
        while b >= 0 and b not in above:
            b = self.robot.bodies[b].parent
        return b

    def verify(self, number: int) -> Proved | None:
        """The statement that certificate `number` proves; None if the motion has none.

        Raises:
            Refused: It proves nothing, or something else.
        """
        raw, motion = self.certificates[number], self.motions[number]
        if not raw:
            return None
        try:
            return self._verify(Bytes(raw), motion)
        except ValueError as error:
            raise Refused(str(error)) from error

    def _verify(self, of: Bytes, motion: Motion) -> Proved:
        version, kind = of.read("BB")
        require(version == 1 and kind < 4, f"version {version} or kind {kind} is unknown")
        require(of.take(32) == motion.sha256, "the certificate belongs to another motion")
        require(of.read("d")[0] == self.statement.margin, "the margin differs")
        n = of.count()
        claimed = list(of.read(f"{n}d")) if 8 * n <= len(of.content) else [float("nan")]
        none = [0.0] * self.robot.n_columns
        require((claimed or none) == (self.statement.tolerance or none), "the joint tolerance differs")
        end = of.read("Id")
        last = len(motion.segments) - 1
        require(end[0] <= last and 0.0 <= end[1] <= 1.0, f"the time {end} does not exist")
        require(kind != 0 or end == (last, 1.0), f"the motion is free until {end} only")
        witness = self._witness(of) if kind == 1 else None
        bodies, steps = Motions(self.robot, self.joints, motion), 0
        if end != (0, 0.0):
            steps = sum(verify_pair(pair, of, bodies, self.statement, end) for pair in self.pairs())
        require(of.is_at_end(), "bytes follow the last proof")
        if witness:
            self._require_touch(*witness, end, bodies)
        return Proved(KINDS[kind], end, witness, steps)

    def _witness(self, of: Bytes):
        return of.read("Id"), of.read("II"), of.read("BII")

    def _require_touch(self, time, a, b, end, bodies: Motions) -> None:
        require(time >= end and 0.0 <= time[1] <= 1.0, "the witness is before the end")
        require(time[0] < len(bodies.motion.segments), "the witness is after the motion")
        kind, number, triangle = b
        links = self.robot.links
        if kind == 0:
            require((a[0], number) not in self.statement.excluded, "the witness is of an excluded pair")
            frame = -1
            other = self._at(self.scene.objects, number, triangle)
            q = [tuple(map(exact, vertex)) for vertex in other]
        else:
            require(kind == 1, f"{kind} is not a kind of triangle")
            pair = min(a[0], number), max(a[0], number)
            require(pair in self.statement.link_pairs, "the witness is of a pair that is not tested")
            frame = self.common_frame(links[a[0]].body, links[number].body)
            q = self._moved(number, triangle, frame, time, bodies)
        p = self._moved(*a, frame, time, bodies)
        margin = self.statement.margin
        touches = cross_each_other(p, q) or (margin > 0.0 and within(p, q, margin))
        require(touches, "the triangles of the witness do not certainly touch")

    def _at(self, lists, number: int, triangle: int):
        require(number < len(lists) and triangle < len(lists[number]), "a triangle of the witness does not exist")
        return lists[number][triangle]

    def _moved(self, number: int, triangle: int, frame: int, time, bodies: Motions):
        corners = self._at([link.triangles for link in self.robot.links], number, triangle)
        series, _ = bodies.series(frame, self.robot.links[number].body, time[0], time[1], time[1])
        *matrix, offset = series[0]
        exactly = [tuple(map(exact, corner)) for corner in corners]
        return [tuple(add(dot([c[r] for c in matrix], x), offset[r]) for r in range(3)) for x in exactly]


def _record(of: Bytes) -> bytes | None:
    length = of.count()
    if length == END:
        return None
    raw_length = of.count()
    if raw_length == 0:
        require(length == 0, "an empty record has bytes")
        return b""
    decoder = zlib.decompressobj()
    raw = decoder.decompress(of.take(length), raw_length + 1)
    whole = decoder.eof and not decoder.unused_data and len(raw) == raw_length
    require(whole, "a record does not have its declared length")
    return raw


def _leb128(of: Bytes) -> int:
    number = shift = 0
    while True:
        (byte,) = of.read("B")
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number
        shift += 7
        require(shift < 35, "a number is too long")
