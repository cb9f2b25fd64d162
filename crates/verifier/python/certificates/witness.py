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

    Points are improved in turns, each the nearest of its triangle to the other one, in doubles; the distance of the
    last ones is computed with its error.
    """
    a, b = ([[x[0] / (1 << 160) for x in vertex] for vertex in triangle] for triangle in (p, q))
    found = []
    for start in range(9):
        u = [1.0 if i == start % 3 else 0.0 for i in range(3)]
        v = [1.0 if i == start // 3 else 0.0 for i in range(3)]
        for _ in range(200):
            u = _nearest(_place(b, v), a)
            v = _nearest(_place(a, u), b)
        found.append((u, v))
    limit = exact(distance)
    return any(norm(minus(_combined(p, u), _combined(q, v))) <= lower(limit) for u, v in found)


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
