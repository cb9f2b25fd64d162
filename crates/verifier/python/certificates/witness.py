"""Witnesses of contacts: two triangles that cross at a time, or are within the margin."""

from .ball import Ball, add, dot, exact, inverse, lower, mul, norm, sub, total, upper


def cross(a, b):
    return tuple(sub(mul(a[i], b[j]), mul(a[j], b[i])) for i, j in ((1, 2), (2, 0), (0, 1)))


def minus(a, b):
    return tuple(map(sub, a, b))


def volume(a, b, c, d) -> Ball:
    return dot(cross(minus(b, a), minus(c, a)), minus(d, a))


def sign(x: Ball) -> int:
    """1 or -1 if it is certain, otherwise 0."""
    return (lower(x) > 0) - (upper(x) < 0)


def cross_each_other(p, q) -> bool:
    """True if an edge of one triangle certainly crosses the inside of the other."""
    return any(_pierces(p[k], p[k - 1], q) or _pierces(q[k], q[k - 1], p) for k in range(3))


def _pierces(start, end, face) -> bool:
    sides = [sign(volume(start, end, face[k], face[(k + 1) % 3])) for k in range(3)]
    ends = sign(volume(*face, start)), sign(volume(*face, end))
    return ends[0] * ends[1] == -1 and sides in ([1] * 3, [-1] * 3)


def within(p, q, distance: float) -> bool:
    """True if two points of the triangles certainly are within a distance.

    The points are chosen in doubles; their distance is computed with its error.
    """
    a, b = ([[x[0] / (1 << 160) for x in vertex] for vertex in triangle] for triangle in (p, q))
    limit = lower(exact(distance))
    return any(norm(minus(_combined(p, u), _combined(q, v))) <= limit for u, v in _near_points(a, b))


def _near_points(a, b):
    """Pairs of points, the nearest of two triangles that do not cross among them: each corner with the nearest point of
    the other triangle, and the nearest points of the lines of edges."""
    for k in range(3):
        corner = [float(i == k) for i in range(3)]
        yield corner, _nearest(a[k], b)
        yield _nearest(b[k], a), corner
    edges = ((0, 1), (1, 2), (2, 0))
    for of_a in edges:
        for of_b in edges:
            yield from _on_lines(a, b, of_a, of_b)


def _on_lines(a, b, of_a, of_b):
    """The nearest points of the lines through two edges, if they are on the edges."""
    (i, j), (k, m) = of_a, of_b
    along, across, apart = ([t - s for s, t in zip(p, q)] for p, q in ((a[i], a[j]), (b[k], b[m]), (b[k], a[i])))
    dd, ee, de, dr, er = (
        sum(map(lambda s, t: s * t, p, q))
        for p, q in ((along, along), (across, across), (along, across), (along, apart), (across, apart))
    )
    area = dd * ee - de * de
    if area <= 0.0:
        return []
    s, t = (de * er - ee * dr) / area, (dd * er - de * dr) / area
    if not (0.0 <= s <= 1.0 and 0.0 <= t <= 1.0):
        return []
    on_a, on_b = [0.0] * 3, [0.0] * 3
    on_a[i], on_a[j], on_b[k], on_b[m] = 1.0 - s, s, 1.0 - t, t
    return [(on_a, on_b)]


def _place(triangle, weights):
    return [sum(w * vertex[r] for w, vertex in zip(weights, triangle)) for r in range(3)]


def _combined(triangle, weights):
    of = [exact(w) for w in weights]
    scale = inverse(total(of))
    return tuple(mul(total(mul(vertex[r], w) for vertex, w in zip(triangle, of)), scale) for r in range(3))


def _nearest(x, triangle):
    """Weights of the nearest point of a triangle, not negative."""

    def inner(a, b):
        return sum(map(lambda s, t: s * t, a, b))

    def less(a, b):
        return [s - t for s, t in zip(a, b)]

    best = None
    u, v, r = less(triangle[1], triangle[0]), less(triangle[2], triangle[0]), less(x, triangle[0])
    uu, uv, vv = inner(u, u), inner(u, v), inner(v, v)
    area = uu * vv - uv * uv
    if area > 0.0:
        s, t = (vv * inner(u, r) - uv * inner(v, r)) / area, (uu * inner(v, r) - uv * inner(u, r)) / area
        if s >= 0.0 and t >= 0.0 and s + t <= 1.0:
            return [1.0 - s - t, s, t]
    for k in range(3):
        a, b = triangle[k], triangle[(k + 1) % 3]
        along = less(b, a)
        squared = inner(along, along)
        t = min(max(inner(less(x, a), along) / squared, 0.0), 1.0) if squared > 0.0 else 0.0
        weights = [0.0] * 3
        weights[k], weights[(k + 1) % 3] = 1.0 - t, t
        rest = less(_place(triangle, weights), x)
        if best is None or inner(rest, rest) < best[0]:
            best = inner(rest, rest), weights
    return best[1]


__all__ = ["add", "cross_each_other", "within"]
