"""Numbers known up to an error: pairs of integers (middle, radius) in units of 2^-160."""

from math import atan2, isqrt

BITS = 160
UNIT = 1 << BITS

Ball = tuple[int, int]

ZERO: Ball = (0, 0)
ONE: Ball = (UNIT, 0)


def exact(number: float) -> Ball:
    """A finite double, with an error where it has bits below the unit."""
    n, d = number.as_integer_ratio()
    quotient, rest = divmod(n << BITS, d)
    return quotient, 1 if rest else 0


def ratio(n: int, d: int) -> Ball:
    """A quotient of integers, the second positive."""
    quotient, rest = divmod(n << BITS, d)
    return quotient, 1 if rest else 0


def add(a: Ball, b: Ball) -> Ball:
    return a[0] + b[0], a[1] + b[1]


def sub(a: Ball, b: Ball) -> Ball:
    return a[0] - b[0], a[1] + b[1]


def neg(a: Ball) -> Ball:
    return -a[0], a[1]


def mul(a: Ball, b: Ball) -> Ball:
    (x, r), (y, s) = a, b
    # Both shifts round down, each by less than a unit.
    error = (abs(x) * s + (abs(y) + s) * r >> BITS) + 2 if r or s else 1
    return x * y >> BITS, error


def total(balls) -> Ball:
    middle = radius = 0
    for x, r in balls:
        middle += x
        radius += r
    return middle, radius


def dot(a, b) -> Ball:
    return total(map(mul, a, b))


def upper(a: Ball) -> int:
    return a[0] + a[1]


def lower(a: Ball) -> int:
    return a[0] - a[1]


def size(a: Ball) -> int:
    """An upper bound for the absolute value."""
    return abs(a[0]) + a[1]


def widened(a: Ball, by: int) -> Ball:
    return a[0], a[1] + by


def root(bound: int) -> int:
    """An upper bound for the square root of a number that is at most this one."""
    return isqrt(max(bound, 0) << BITS) + 1


def norm(vector) -> int:
    """An upper bound for the length of a vector."""
    return root(upper(dot(vector, vector)))


def inverse(a: Ball) -> Ball:
    """One over a number that is certainly positive.

    Raises:
        ValueError: It is not.
    """
    if lower(a) <= 0:
        raise ValueError("the inverse of a number that may be 0")
    least, most = (UNIT << BITS) // upper(a), (UNIT << BITS) // lower(a) + 1
    return hull(least, most)


def square_root(a: Ball) -> Ball:
    """The root of a number that is certainly not negative.

    Raises:
        ValueError: It is not.
    """
    if lower(a) < 0:
        raise ValueError("the root of a number that may be negative")
    return hull(isqrt(lower(a) << BITS), root(upper(a)))


def hull(low: int, high: int) -> Ball:
    middle = low + high >> 1
    return middle, high - middle


def _arctan_of_inverse(n: int) -> int:
    power, k, result = UNIT // n, 0, 0
    while power:
        result += (-1) ** k * (power // (2 * k + 1))
        power //= n * n
        k += 1
    return result


# Machin's formula; each of some hundred terms is off by a few units.
PI: Ball = (4 * (4 * _arctan_of_inverse(5) - _arctan_of_inverse(239)), 1 << 14)


def sin_cos(angle: Ball) -> tuple[Ball, Ball]:
    """Sine and cosine."""
    turns = (2 * angle[0] + PI[0]) // (2 * PI[0])
    rest = (angle[0] - turns * PI[0], abs(turns) * PI[1])
    sine, cosine, term, k = ZERO, ZERO, ONE, 0
    x = (rest[0], 0)
    while abs(term[0]) + term[1] > 8 and k < 120:
        sign = -1 if k & 2 else 1
        part = (sign * term[0], term[1])
        if k & 1:
            sine = add(sine, part)
        else:
            cosine = add(cosine, part)
        k += 1
        term = mul(mul(term, x), ratio(1, k))
    # Neither function changes faster than the angle; the series alternates with terms that fall from here on.
    change = angle[1] + rest[1] + 64
    if turns % 2:
        sine, cosine = neg(sine), neg(cosine)
    return widened(sine, change), widened(cosine, change)


def angle_of(sine: Ball, cosine: Ball) -> Ball:
    """The angle in (-pi, pi] of a point near the unit circle."""
    guess = exact(atan2(sine[0] / UNIT, cosine[0] / UNIT))
    for _ in range(3):
        s, c = sin_cos(guess)
        error = sub(mul(sine, c), mul(cosine, s))
        guess = (guess[0] + error[0], 0)
    s, c = sin_cos(guess)
    error = sub(mul(sine, c), mul(cosine, s))
    if lower(add(mul(cosine, c), mul(sine, s))) <= UNIT >> 1 or size(error) > UNIT >> 2:
        raise ValueError("the angle is not determined")
    # The error is the radius, which is above 1/2, times the sine of what is missing.
    return guess[0], 4 * size(error)
