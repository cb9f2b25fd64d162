"""Moving bodies: Taylor coefficients of their poses at the middle of an interval and over all of it."""

from functools import lru_cache

from .ball import (
    BITS, ONE, UNIT, ZERO, Ball, add, angle_of, dot, exact, inverse, lower, mul, neg, norm, ratio, sin_cos, size,
    square_root, sub, total, upper, widened,
)
from .model import Body, Motion, Robot

# Orders 0 to 3 are kept, order 4 bounds the rest.
ORDER = 4

# A pose is four columns: three of the matrix, and the displacement.
IDENTITY = ((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE))
NOTHING = ((ZERO,) * 3,) * 3


def local_polynomial(coefficients: list[float], start: float, end: float) -> list[Ball]:
    """Coefficients of powers of u of a Bernstein polynomial, t = (start + end) / 2 + u (end - start) / 2."""
    n = len(coefficients) - 1
    powers = bernstein_to_powers([exact(c) for c in coefficients])
    middle, half = mul(add(exact(start), exact(end)), ratio(1, 2)), mul(sub(exact(end), exact(start)), ratio(1, 2))
    # Horner's scheme with polynomials: p(m + h u).
    result = [powers[n]]
    for k in range(n - 1, -1, -1):
        higher = [mul(c, half) for c in result]
        result = [add(mul(c, middle), h) for c, h in zip(result + [ZERO], [ZERO] + higher)]
        result[0] = add(result[0], powers[k])
    return result


def bernstein_to_powers(b: list[Ball]) -> list[Ball]:
    """Differences of the coefficients times binomials."""
    n, rows, choose, result = len(b) - 1, list(b), 1, []
    for k in range(n + 1):
        result.append((choose * rows[0][0], choose * rows[0][1]))
        rows = [sub(rows[i + 1], rows[i]) for i in range(len(rows) - 1)]
        choose = choose * (n - k) // (k + 1)
    return result


def at_middle(polynomial: list[Ball]) -> list[Ball]:
    return (polynomial + [ZERO] * (ORDER + 1))[: ORDER + 1]


def over_all(polynomial: list[Ball]) -> list[Ball]:
    """Taylor coefficients at any u in [-1, 1]."""
    result = []
    for k in range(ORDER + 1):
        radius, choose = 0, 1
        for j in range(k + 1, len(polynomial)):
            choose = choose * j // (j - k)
            radius += choose * size(polynomial[j])
        result.append(widened(polynomial[k] if k < len(polynomial) else ZERO, radius))
    return result


def sin_cos_series(angle: list[Ball]) -> tuple[list[Ball], list[Ball]]:
    s, c = sin_cos(angle[0])
    sine, cosine = [s], [c]
    for k in range(1, ORDER + 1):
        rates = [mul(angle[i], ratio(i, k)) for i in range(1, k + 1)]
        sine.append(total(mul(rate, cosine[k - 1 - i]) for i, rate in enumerate(rates)))
        cosine.append(neg(total(mul(rate, sine[k - 1 - i]) for i, rate in enumerate(rates))))
    return sine, cosine


def cross_matrix(a):
    x, y, z = a
    return ((ZERO, z, neg(y)), (neg(z), ZERO, x), (y, neg(x), ZERO))


def outer(a, b):
    return tuple(tuple(mul(x, y) for x in a) for y in b)


def apply(m, v):
    return tuple(total(mul(m[j][r], v[j]) for j in range(3)) for r in range(3))


def product(a, b):
    return tuple(apply(a, column) for column in b)


def plus(a, b):
    return tuple(tuple(add(x, y) for x, y in zip(p, q)) for p, q in zip(a, b))


def times(a, factor: Ball):
    return tuple(tuple(mul(x, factor) for x in column) for column in a)


class Joint:
    """A body's joint: constant matrices, and the series of a motion."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.orientation = tuple(tuple(exact(x) for x in column) for column in body.columns_of_orientation)
        self.origin = tuple(exact(x) for x in body.origin)
        axis = tuple(exact(x) for x in body.axis)
        along = outer(axis, axis)
        self.along = product(self.orientation, along)
        self.across = product(self.orientation, plus(IDENTITY, times(along, neg(ONE))))
        self.turn = product(self.orientation, cross_matrix(axis))
        self.direction = apply(self.orientation, axis)
        # |K| and |a| are 1 up to rounding.
        skew = sum(
            size(sub(dot(self.orientation[i], self.orientation[j]), ONE if i == j else ZERO))
            for i in range(3)
            for j in range(3)
        )
        self.stretch = UNIT + 2 * (skew + (size(sub(dot(axis, axis), ONE)) if any(body.axis) else 0))

    def poses(self, segment, start: float, end: float, expand) -> list:
        """Taylor coefficients of the pose in the parent's frame; `expand` is at the middle or over all."""
        body, still = self.body, (*self.orientation, self.origin)
        zero = (*NOTHING, (ZERO,) * 3)
        if body.kind == "fixed":
            return [still] + [zero] * ORDER
        if body.kind == "free":
            return self.free(segment[body.column : body.column + 7], start, end, expand)
        value = [mul(c, exact(body.multiplier)) for c in local_polynomial(segment[body.column], start, end)]
        value[0] = add(value[0], exact(body.offset))
        value = expand(value)
        if body.kind == "prismatic":
            slides = [tuple(mul(v, d) for d in self.direction) for v in value]
            poses = [(*NOTHING, slide) for slide in slides]
            poses[0] = (*self.orientation, tuple(map(add, slides[0], self.origin)))
            return poses
        sine, cosine = sin_cos_series(value)
        poses = [(*plus(times(self.across, c), times(self.turn, s)), (ZERO,) * 3) for s, c in zip(sine, cosine)]
        poses[0] = (*plus(poses[0][:3], self.along), self.origin)
        return poses

    def free(self, columns, start: float, end: float, expand) -> list:
        first, last = ([exact(column[k]) for column in columns] for k in (0, 1))
        p, q = unit(first[3:]), unit(last[3:])
        # The quaternion of the turn from the one to the other, w last.
        turn = quaternion(q, (neg(p[0]), neg(p[1]), neg(p[2]), p[3]))
        if upper(turn[3]) < 0:
            turn = tuple(map(neg, turn))
        elif lower(turn[3]) <= 0:
            raise ValueError("the shorter direction of the turn is not determined")
        squared = dot(turn[:3], turn[:3])
        if lower(squared) > UNIT >> 100:
            length = square_root(squared)
            axis = tuple(mul(x, inverse(length)) for x in turn[:3])
            angle = mul(angle_of(length, turn[3]), ratio(2, 1))
        else:
            axis, angle = ((0, UNIT),) * 3, (0, 4 * norm(turn[:3]))
        linear = expand([mul(angle, c) for c in local_polynomial([0.0, 1.0], start, end)])
        sine, cosine = sin_cos_series(linear)
        along, across = outer(axis, axis), cross_matrix(axis)
        before = rotation(p)
        poses = []
        for k, (s, c) in enumerate(zip(sine, cosine)):
            # cos I + sin [a]x + (1 - cos) a a^T
            rest = sub(ONE, c) if k == 0 else neg(c)
            matrix = plus(plus(times(IDENTITY, c), times(across, s)), times(along, rest))
            poses.append(product(self.orientation, product(matrix, before)))
        lines = [expand(local_polynomial([columns[r][0], columns[r][1]], start, end)) for r in range(3)]
        moved = [apply(self.orientation, tuple(line[k] for line in lines)) for k in range(ORDER + 1)]
        moved[0] = tuple(map(add, moved[0], self.origin))
        return [(*pose, move) for pose, move in zip(poses, moved)]


def unit(q):
    scale = inverse(square_root(dot(q, q)))
    return tuple(mul(x, scale) for x in q)


def quaternion(a, b):
    """The product of quaternions, w last."""
    (x, y, z, w), (p, q, r, s) = a, b
    return (
        total((mul(w, p), mul(x, s), mul(y, r), neg(mul(z, q)))),
        total((mul(w, q), mul(y, s), mul(z, p), neg(mul(x, r)))),
        total((mul(w, r), mul(z, s), mul(x, q), neg(mul(y, p)))),
        total((mul(w, s), neg(mul(x, p)), neg(mul(y, q)), neg(mul(z, r)))),
    )


def rotation(q):
    """The matrix that turns e by q e q*."""
    conjugate = (neg(q[0]), neg(q[1]), neg(q[2]), q[3])
    columns = []
    for j in range(3):
        e = tuple(ONE if i == j else ZERO for i in range(4))
        columns.append(quaternion(quaternion(q, e), conjugate)[:3])
    return tuple(columns)


def compose(parent: list, local: list) -> list:
    """The product of two series of poses."""
    result = []
    for k in range(ORDER + 1):
        columns = []
        for column in range(4):
            moved = [apply(parent[k - i][:3], local[i][column]) for i in range(k + 1)]
            if column == 3:
                moved.append(parent[k][3])
            columns.append(tuple(total(m[r] for m in moved) for r in range(3)))
        result.append(tuple(columns))
    return result


class Motions:
    """Series of the poses of bodies over intervals of a motion."""

    def __init__(self, robot: Robot, joints: list[Joint], motion: Motion) -> None:
        self.robot, self.joints, self.motion = robot, joints, motion
        self.series = lru_cache(maxsize=4096)(self._series)

    def _series(self, frame: int, body: int, segment: int, start: float, end: float):
        """At the middle, and over all of the interval; the frame is a body, or -1 for the world."""
        if body == frame:
            still = [(*IDENTITY, (ZERO,) * 3)] + [(*NOTHING, (ZERO,) * 3)] * ORDER
            return still, still
        parent = self.robot.bodies[body].parent
        values = self.motion.segments[segment]
        own = [self.joints[body].poses(values, start, end, expand) for expand in (at_middle, over_all)]
        if parent == frame:
            return own
        return [compose(p, o) for p, o in zip(self.series(frame, parent, segment, start, end), own)]

    def tolerance(self, frame: int, body: int, time, statement) -> tuple[int, int]:
        """Largest deviation of a point of a body by the joint tolerance during an interval (segment, start, stop): a
        constant, and a factor of its distance.

        A joint that turns by a more moves a point by at most a times its distance from the joint.
        """
        constant, turns, length, stretch = 0, 0, 0, UNIT
        chain = []
        while body != frame:
            chain.append(body)
            body = self.robot.bodies[body].parent
        for index in chain:
            of, change = self.robot.bodies[index], 0
            if of.kind in ("revolute", "prismatic") and statement.tolerance:
                change = size(mul(exact(of.multiplier), exact(statement.tolerance[of.column])))
                if of.kind == "revolute":
                    constant += (change * length >> BITS) + 1
                    turns += change
                else:
                    constant += change
            length += self.distance(index, change, *time)
            stretch = (stretch * self.joints[index].stretch >> BITS) + 1
        # Once for the lengths, once for what the parents make of a deviation.
        return tuple((x * stretch >> BITS) * stretch // UNIT + 2 for x in (constant, turns))

    def distance(self, index: int, change: int, segment: int, start: float, stop: float) -> int:
        """A bound for the distance of a body's origin from its parent's during an interval, if the value of a sliding
        joint may change."""
        body, joint = self.robot.bodies[index], self.joints[index]
        values = self.motion.segments[segment]
        if body.kind == "prismatic":
            value = [mul(c, exact(body.multiplier)) for c in local_polynomial(values[body.column], start, stop)]
            value[0] = add(value[0], exact(body.offset))
            # At one of the ends of the line.
            by = sum(map(size, value[1:])) + change
            ends = [add(value[0], (sign * by, 0)) for sign in (-1, 1)]
            return max(norm([add(o, mul(end, d)) for o, d in zip(joint.origin, joint.direction)]) for end in ends)
        if body.kind == "free":
            lines = [local_polynomial(values[body.column + r], start, stop) for r in range(3)]
            ends = [[add(line[0], mul((sign * ONE[0], 0), line[1])) for line in lines] for sign in (-1, 1)]
            moved = [apply(joint.orientation, end) for end in ends]
            return max(norm([add(o, m) for o, m in zip(joint.origin, end)]) for end in moved)
        return norm(joint.origin)
