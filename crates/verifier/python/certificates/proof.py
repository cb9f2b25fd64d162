"""Proofs: trees over time and triangles, whose leaves are axes."""

from fractions import Fraction
from math import isqrt

from .ball import BITS, add, dot, exact, lower, mul, norm, ratio, size, sub, upper
from .model import Bytes, Statement
from .motion import Motions

# Cuts of an interval within which a step is not proved by a single expansion.
MAX_CUTS = 10


class Refused(Exception):
    """The reason why a certificate proves nothing."""


def require(condition: bool, sentence: str) -> None:
    if not condition:
        raise Refused(sentence)


class Tree:
    """A partition of triangles."""

    def __init__(self, triangles: list, order: list[int], left: list[int]) -> None:
        require(sorted(order) == list(range(len(triangles))), "a partition is not a permutation")
        require(len(left) == max(len(triangles) - 1, 0), "a partition has the wrong number of nodes")
        self.triangles, self.order = triangles, order
        # For each node the first place in the order, the number of triangles, and the number of those on the left.
        self.nodes: list[tuple[int, int, int]] = []
        counts, open_nodes = iter(left), [(0, len(triangles))] if triangles else []
        while open_nodes:
            first, n = open_nodes.pop()
            of_left = 0
            if n > 1:
                of_left = next(counts)
                require(0 < of_left < n, "a side of a partition is empty")
                open_nodes += [(first + of_left, n - of_left), (first, of_left)]
            self.nodes.append((first, n, of_left))
        self.corners: dict[int, list] = {}
        self.sizes: dict[int, int] = {}

    def children(self, node: int) -> tuple[int, int]:
        of_left = self.nodes[node][2]
        require(of_left > 0, f"node {node} is a leaf")
        return node + 1, node + 2 * of_left

    def members(self, node: int) -> list[int]:
        first, n, _ = self.nodes[node]
        return self.order[first : first + n]

    def vertices(self, node: int) -> list:
        return [vertex for i in self.members(node) for vertex in self.triangles[i]]

    def hull(self, node: int) -> list:
        """Points whose convex hull contains the triangles."""
        if node not in self.corners:
            points = self.vertices(node)
            if self.nodes[node][1] > 1:
                low, high = ([of(p[r] for p in points) for r in range(3)] for of in (min, max))
                points = [tuple((low, high)[k >> r & 1][r] for r in range(3)) for k in range(8)]
            self.corners[node] = [tuple(exact(x) for x in point) for point in points]
        return self.corners[node]

    def is_leaf(self, node: int) -> bool:
        return self.nodes[node][1] == 1

    def size(self, node: int) -> int:
        """A bound for the largest distance of a vertex from the origin."""
        if node not in self.sizes:
            square = max(sum(Fraction(x) ** 2 for x in p) for p in set(self.vertices(node)))
            self.sizes[node] = isqrt((square.numerator << 2 * BITS) // square.denominator) + 1
        return self.sizes[node]


class Pair:
    """Two sides whose triangles must stay apart: trees, bodies (-1 for the scene), and their common frame."""

    def __init__(self, name: str, trees, bodies, frame: int, is_excluded) -> None:
        self.name, self.trees, self.bodies, self.frame, self.is_excluded = name, trees, bodies, frame, is_excluded


def verify_pair(pair: Pair, steps: Bytes, motions: Motions, statement: Statement, end: tuple[int, float]) -> int:
    """Follows the proof of a pair. Returns the number of steps."""
    n = 0
    todo = [((0, 0), _range(0, end[0] + 1, end))]
    while todo:
        nodes, time = todo.pop()
        n += 1
        kind = steps.read("B")[0]
        if kind == 0:
            todo += [(nodes, half) for half in reversed(_halves(time, end))]
        elif kind in (1, 2):
            children = pair.trees[kind - 1].children(nodes[kind - 1])
            split = [(child, nodes[1]) if kind == 1 else (nodes[0], child) for child in children]
            todo += [(nodes, time) for nodes in reversed(split)]
        elif kind == 3:
            members = pair.trees[1].members(nodes[1])
            require(all(map(pair.is_excluded, members)), f"{pair.name}, step {n}: not all are excluded")
        else:
            axis = _axis(kind, steps)
            require(axis is not None, f"{pair.name}, step {n}: {kind} is not a step")
            require(len(time) == 3, f"{pair.name}, step {n}: one axis cannot cover several segments")
            proved = separated(pair, nodes, time, axis, motions, statement)
            require(proved, f"{pair.name}, step {n}: {axis} does not separate {nodes} during {time}")
    return n


def _range(first: int, last: int, end):
    """Segments, or segment and local times."""
    if last - first > 1:
        return first, last
    return first, 0.0, end[1] if first == end[0] else 1.0


def _halves(time, end):
    if len(time) == 2:
        first, last = time
        middle = first + (last - first) // 2
        return [_range(first, middle, end), _range(middle, last, end)]
    segment, start, stop = time
    middle = 0.5 * (start + stop)
    require(start < middle < stop, f"{time} cannot be split")
    return [(segment, start, middle), (segment, middle, stop)]


def _axis(kind: int, steps: Bytes):
    if 4 <= kind <= 9:
        axis = [0.0] * 3
        axis[(kind - 4) // 2] = -1.0 if kind % 2 else 1.0
        return tuple(axis)
    form = {10: "3b", 11: "3h", 12: "3d"}.get(kind)
    return None if form is None else tuple(map(float, steps.read(form)))


def separated(pair: Pair, nodes, time, axis, motions: Motions, statement: Statement, cuts: int = MAX_CUTS) -> bool:
    """True if the axis separates the nodes at every time of an interval: by an expansion, or of both halves of it."""
    if not all(abs(x) < float("inf") for x in axis) or not any(axis):
        return False
    # Its length does not matter, so the largest entry is made about 1, without rounding.
    n = _scaled(axis)
    if _by_expansion(pair, nodes, time, n, motions, statement):
        return True
    segment, start, stop = time
    middle = 0.5 * (start + stop)
    if cuts == 0 or not start < middle < stop:
        return False
    halves = [(segment, start, middle), (segment, middle, stop)]
    return all(separated(pair, nodes, half, axis, motions, statement, cuts - 1) for half in halves)


def _scaled(axis):
    fractions = [Fraction(x) for x in axis]
    largest = max(map(abs, fractions))
    shift = largest.numerator.bit_length() - largest.denominator.bit_length()
    scale = Fraction(1, 1 << shift) if shift >= 0 else Fraction(1 << -shift)
    return tuple(ratio((x * scale).numerator, (x * scale).denominator) for x in fractions)


def _by_expansion(pair, nodes, time, n, motions, statement) -> bool:
    controls, spread = [], 0
    # Deviations are those of each vertex of a leaf, and the largest one of other nodes.
    length = norm(n)
    segment, start, stop = time
    for side, sign in ((0, 1), (1, -1)):
        tree, body, node = pair.trees[side], pair.bodies[side], nodes[side]
        points = tree.hull(node)
        deviations = [0] * len(points)
        if body < 0 or body == pair.frame:
            values = [[dot(n, p)] * 4 for p in points]
        else:
            try:
                middle, everywhere = motions.series(pair.frame, body, segment, start, stop)
            except ValueError:
                return False
            values = []
            forms = [_form(n, pose) for pose in middle[:4]]
            rest = _form(n, everywhere[4])
            bound = 0
            for p in points:
                values.append(_bernstein([_value(form, p) for form in forms]))
                bound = max(bound, size(_value(rest, p)))
            spread += bound
            constant, factor = motions.tolerance(pair.frame, body, time, statement)
            distances = [norm(p) for p in points] if tree.is_leaf(node) else [tree.size(node)] * len(points)
            by = [constant + (factor * distance >> BITS) + 1 for distance in distances]
            deviations = [(deviation * length >> BITS) + 1 for deviation in by]
        ends = [(upper(v[i]) + d, lower(v[i]) - d) for v, d in zip(values, deviations) for i in range(4)]
        extreme = [max(u for u, _ in ends[i::4]) if side == 0 else -min(l for _, l in ends[i::4]) for i in range(4)]
        controls.append(extreme)
    margin = (upper(exact(statement.margin)) * length >> BITS) + 1
    # upper bounds of n·p and of -n·q
    return all(-(a + b) > spread + margin for a, b in zip(*controls))


def _form(n, pose):
    """The form n·(P x + c) in x."""
    return [dot(n, column) for column in pose]


def _value(form, point):
    return add(dot(form[:3], point), form[3])


def _bernstein(powers):
    """Coefficients over u in [-1, 1] of a cubic polynomial, by its blossom: the value at (±1, ±1, ±1)."""
    a0, a1, a2, a3 = powers
    third = ratio(1, 3)
    inner = sub(a0, mul(third, a2)), sub(mul(third, a1), a3)
    even, odd = add(a0, a2), add(a1, a3)
    return [sub(even, odd), sub(*inner), add(*inner), add(even, odd)]
