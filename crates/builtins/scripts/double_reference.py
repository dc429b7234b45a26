#!/usr/bin/env python3
"""Writes tests/data/math_double.txt: arguments and results of the double mathematics, for tests/math_double.rs.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install mpmath gmpy2
    /tmp/venv/bin/python crates/builtins/scripts/double_reference.py > crates/builtins/tests/data/math_double.txt

A section begins with `# function bar held`: the error that OpenCL C allows in ulps (- if any) and the one that we hold.
Its lines have the bits of the arguments, those of the result rounded correctly, and by how many 1/128 ulp the exact
result is above that. A section serves all forms of a function (sin and sincos). The edge cases are those of OpenCL C
3.0, section 7.5.1, and of C99's annex F.
"""

import math
import random
import struct
from fractions import Fraction

from mpmath import mp, mpf
import mpmath as m

mp.prec = 400
random.seed(4711)
INF, NAN = math.inf, math.nan
COUNT = 160
MAX, MIN, TINY = 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324


def bits(x):
    return f"{struct.unpack('<Q', struct.pack('<d', x))[0]:016x}" if x == x else "7ff8000000000000"


def rounded(v):
    """An exact number as the nearest double, and the rest in 1/128 ulp."""
    if isinstance(v, float):
        return v, 0
    if v == 0:
        return 0.0, 0
    v = mpf(v.numerator) / v.denominator if isinstance(v, Fraction) else v
    size = max(int(m.floor(m.log(abs(v), 2))) - 52, -1074)
    n = m.ldexp(v, -size)
    k = m.nint(n)
    try:
        r = math.ldexp(int(k), size)
    except OverflowError:
        return (INF if v > 0 else -INF), 0
    if k == 0 and v < 0:
        r = -0.0
    if math.isinf(r):
        return r, 0
    return r, int(m.nint((n - k) * 128))


def section(name, bar, held, cases):
    print(f"# {name} {bar} {held}")
    for *arguments, result in cases:
        r, rest = rounded(result)
        print(" ".join([*map(bits, arguments), bits(r), str(rest)]))


def uniform(a, b):
    return lambda: random.uniform(a, b)


def exponents(a, b, signed=True):
    """Sizes over the binades, from 2^a to 2^b."""

    def draw():
        x = math.ldexp(1 + random.random(), random.randint(a, b - 1))
        return -x if signed and random.random() < 0.5 else x

    return draw


def about(x, a, b):
    draw = exponents(a, b)
    return lambda: x + draw()


def unary(name, bar, held, f, edges, *draws):
    """f is exact; edges map arguments to results that f does not give."""
    cases = [(x, r) for x, r in edges]
    cases += [(NAN, NAN)] if not any(x != x for x, _ in edges) else []
    for draw in draws:
        for _ in range(COUNT // len(draws)):
            x = draw()
            cases.append((x, f(mpf(x))))
    section(name, bar, held, cases)


def binary(name, bar, held, f, edges, *draws):
    cases = [(x, y, r) for x, y, r in edges]
    for draw in draws:
        for _ in range(COUNT // len(draws)):
            x, y = draw()
            cases.append((x, y, f(x, y)))
    section(name, bar, held, cases)


SAME_ZERO = [(0.0, 0.0), (-0.0, -0.0)]
SAME = [*SAME_ZERO, (INF, INF), (-INF, -INF)]
small = [(x, mpf(x)) for x in (TINY, -TINY, MIN, 3e-310)]
anything = exponents(-1074, 1024)
positive = exponents(-1074, 1024, False)

# ---- Exponentials -----------------------------------------------------------------------------------------------
grow = [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, 0.0), (TINY, 1.0), (1e300, INF), (-1e300, 0.0)]
at = lambda f, *xs: [(x, f(mpf(x))) for x in xs]
unary(
    "exp",
    3,
    1.3,
    m.exp,
    grow + at(m.exp, 709.782712893384, 709.7827128933841, -745.1332191019411, -745.2, -708.4, 1.0),
    uniform(-1, 1),
    uniform(-745, 710),
    exponents(-60, 10),
    uniform(-746, -708),
)
two = lambda x: m.power(2, x)
unary(
    "exp2",
    3,
    1.3,
    two,
    grow + at(two, 1023.0, 1023.9999999999999, 1024.0, -1074.0, -1075.0, -1074.9, 3.0, 0.5),
    uniform(-1, 1),
    uniform(-1075, 1024),
    exponents(-60, 10),
    uniform(-1076, -1020),
)
ten = lambda x: m.power(10, x)
unary(
    "exp10",
    3,
    0.8,
    ten,
    grow + at(ten, 308.25471555991675, 308.2548, -323.4, -323.7, 1.0, 2.0, 22.0, -1.0),
    uniform(-1, 1),
    uniform(-324, 309),
    exponents(-60, 9),
    uniform(-325, -307),
)
unary(
    "expm1",
    3,
    1.2,
    m.expm1,
    SAME_ZERO
    + small
    + [(INF, INF), (-INF, -1.0), (1e300, INF), (-1e300, -1.0)]
    + at(m.expm1, 709.782712893384, 710.0, -37.5, -40.5),
    uniform(-1, 1),
    uniform(-60, 710),
    exponents(-60, 3),
    exponents(-300, 9),
)
for name, f, held, edges in (
    ("sinh", m.sinh, 0.9, SAME + small),
    ("cosh", m.cosh, 0.8, [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF)]),
    ("tanh", m.tanh, 1.2, SAME_ZERO + small + [(INF, 1.0), (-INF, -1.0), (1e300, 1.0)]),
):
    unary(
        name,
        5 if name == "tanh" else 4,
        held,
        f,
        edges + at(f, 710.4, -710.4, 711.0, 19.0, 22.0),
        uniform(-1, 1),
        uniform(-711, 711),
        exponents(-60, 5),
        uniform(-30, 30),
    )

# ---- Logarithms -------------------------------------------------------------------------------------------------
logs = [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, NAN), (-1.0, NAN), (-TINY, NAN), (1.0, 0.0)]
for name, f in (("log", m.log), ("log2", lambda x: m.log(x) / m.log(mpf(2))), ("log10", m.log10)):
    held = 1.0
    exact = at(f, TINY, MIN, MAX, 2.0, 4.0, 0.5, 10.0, 100.0, 1e22, 0.9999999999999999, 1.0000000000000002)
    unary(name, 3, held, f, logs + exact, positive, uniform(0.5, 2), uniform(0.99, 1.01), uniform(0, 20))
unary(
    "log1p",
    2,
    1.0,
    m.log1p,
    SAME_ZERO
    + small
    + [(-1.0, -INF), (INF, INF), (-INF, NAN), (-1.5, NAN)]
    + at(m.log1p, MAX, -0.9999999999999999, 1e16),
    positive,
    uniform(-1, 2),
    exponents(-60, -1),
    uniform(0, 50),
)
unary("asinh", 4, 1.2, m.asinh, SAME + small + at(m.asinh, MAX, -MAX), anything, uniform(-2, 2), exponents(-40, 2))
unary(
    "acosh",
    4,
    1.2,
    m.acosh,
    [(1.0, 0.0), (0.5, NAN), (-2.0, NAN), (-INF, NAN), (INF, INF), (0.9999999999999999, NAN)] + at(m.acosh, MAX),
    exponents(0, 1024, False),
    uniform(1, 2),
    lambda: 1 + exponents(-52, -2, False)(),
)
unary(
    "atanh",
    5,
    0.8,
    m.atanh,
    SAME_ZERO
    + small
    + [(1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (INF, NAN)]
    + at(m.atanh, 0.9999999999999999, -0.9999999999999999),
    uniform(-1, 1),
    exponents(-60, -1),
    lambda: 1 - exponents(-53, -1, False)(),
)

# ---- Powers -----------------------------------------------------------------------------------------------------
odd, even = (1.0, 3.0, 5.0, 4503599627370497.0, 9007199254740991.0), (2.0, 4.0, 4503599627370498.0, 1e300)
pows = [(x, 0.0, 1.0) for x in (0.0, -0.0, 1.0, -2.0, INF, -INF, NAN)] + [
    (1.0, y, 1.0) for y in (0.0, 2.5, -INF, INF, NAN)
]
pows += [(-1.0, y, 1.0) for y in (INF, -INF)] + [(NAN, 2.0, NAN), (2.0, NAN, NAN), (-2.0, 0.5, NAN), (-TINY, -2.5, NAN)]
pows += [(s * 0.0, -y, s * INF) for s in (1, -1) for y in odd] + [
    (s * 0.0, -y, INF) for s in (1, -1) for y in (*even, 0.5, 2.5)
]
pows += [(s * 0.0, y, s * 0.0) for s in (1, -1) for y in odd] + [
    (s * 0.0, y, 0.0) for s in (1, -1) for y in (*even, 0.5)
]
pows += [(s * 0.0, -INF, INF) for s in (1, -1)] + [(0.0, INF, 0.0), (-0.0, INF, 0.0)]
pows += [(-INF, y, -INF) for y in odd] + [(-INF, y, INF) for y in (*even, 0.5, INF)]
pows += [(-INF, -y, -0.0) for y in odd] + [(-INF, -y, 0.0) for y in (*even, 0.5, INF)]
pows += [(INF, y, INF) for y in (TINY, 1.0, INF)] + [(INF, -y, 0.0) for y in (TINY, 1.0, INF)]
pows += [
    (0.5, INF, 0.0),
    (-0.5, INF, 0.0),
    (0.5, -INF, INF),
    (2.0, INF, INF),
    (-2.0, INF, INF),
    (2.0, -INF, 0.0),
    (-2.0, -INF, 0.0),
]
pows += [(-2.0, 3.0, -8.0), (-2.0, 2.0, 4.0), (-1.0, 1e300, 1.0), (-1.0, 9007199254740991.0, -1.0), (10.0, 22.0, 1e22)]
pows += [
    (2.0, 1023.0, 2.0**1023),
    (2.0, 1024.0, INF),
    (2.0, -1074.0, TINY),
    (2.0, -1076.0, 0.0),
    (-2.0, 1025.0, -INF),
    (MAX, MAX, INF),
]


def power(x, y):
    r = m.power(abs(mpf(x)), mpf(y))
    return -r if x < 0 and y % 2 == 1 else r


def reach(x):
    """An exponent for which the power is in the range of doubles, or a little outside."""
    return random.uniform(-1076, 1025) / (abs(math.log2(abs(x))) + 1e-17)


def with_reach(draw):
    def both():
        x = draw()
        return x, reach(x)

    return both


power_draws = [
    with_reach(positive),
    with_reach(uniform(0.5, 2)),
    with_reach(lambda: 1 + exponents(-52, -2)()),
    lambda: (random.uniform(0, 10), random.uniform(-10, 10)),
    lambda: (exponents(-200, 200)(), float(random.randint(-5, 5))),
]
binary("pow", 16, 1.0, power, pows, *power_draws)
powrs = [(x, 0.0, 1.0) for x in (TINY, 1.0, 2.5, MAX)] + [
    (0.0, 0.0, NAN),
    (-0.0, 0.0, NAN),
    (INF, 0.0, NAN),
    (NAN, 0.0, NAN),
]
powrs += [(s * 0.0, y, INF) for s in (1, -1) for y in (-1.0, -2.0, -0.5, -INF)]
powrs += [(s * 0.0, y, 0.0) for s in (1, -1) for y in (1.0, 2.0, 0.5, INF)]
powrs += [
    (1.0, 5.5, 1.0),
    (1.0, INF, NAN),
    (1.0, -INF, NAN),
    (-1.0, 2.0, NAN),
    (-INF, 2.0, NAN),
    (2.0, NAN, NAN),
    (NAN, 2.0, NAN),
]
powrs += [(INF, 2.0, INF), (INF, -2.0, 0.0), (0.5, INF, 0.0), (0.5, -INF, INF), (2.0, INF, INF), (2.0, -INF, 0.0)]
binary("powr", 16, 1.0, power, powrs, *power_draws[:4])
integer = lambda low, high: float(random.randint(low, high))
is_int = lambda y: y == int(y) and abs(y) < 2**31 if math.isfinite(y) else False
binary(
    "pown",
    16,
    1.5,
    power,
    [c for c in pows if is_int(c[1])]
    + [(1.0, -2147483648.0, 1.0), (-1.0, 2147483647.0, -1.0), (-1.0, -2147483648.0, 1.0)]
    # Where the logarithm's last part is the largest against its first, and the exponent is large.
    + [(x, n, power(x, n)) for x, n in [(-0.7477262543826804, 1629.0)]],
    lambda: (random.uniform(-4, 4), integer(-500, 500)),
    lambda: (anything(), integer(-6, 6)),
    lambda: (1 + exponents(-40, -30)(), integer(-(2**31), 2**31 - 1)),
)


def root(x, n):
    r = m.exp(m.log(abs(mpf(x))) / int(n))
    return -r if x < 0 else r


roots = [(0.0, n, r) for n, r in ((3.0, 0.0), (2.0, 0.0), (-3.0, INF), (-2.0, INF))]
roots += [(-0.0, n, r) for n, r in ((3.0, -0.0), (2.0, 0.0), (-3.0, -INF), (-2.0, INF))]
roots += [(INF, 3.0, INF), (INF, -3.0, 0.0), (-INF, 3.0, -INF), (-INF, -3.0, -0.0), (-INF, 2.0, NAN), (-8.0, 2.0, NAN)]
roots += [(x, 0.0, NAN) for x in (0.0, 1.0, INF, NAN)] + [
    (NAN, 3.0, NAN),
    (-8.0, 3.0, -2.0),
    (MAX, 1.0, MAX),
    (TINY, 1.0, TINY),
]
binary(
    "rootn",
    16,
    1.0,
    root,
    roots,
    lambda: (positive(), integer(1, 20)),
    lambda: (positive(), -integer(1, 20)),
    lambda: (-positive(), 2 * integer(-9, 9) + 1),
    lambda: (positive(), integer(-(2**31), -1)),
)
cube = lambda x: m.cbrt(x) if x >= 0 else -m.cbrt(-x)
unary("cbrt", 2, 0.8, cube, SAME + at(cube, TINY, -MIN, MAX, 8.0, -27.0, 1000.0), anything, uniform(-8, 8))

# ---- Circles ----------------------------------------------------------------------------------------------------
multiple = lambda limit, unit: lambda: float(random.randint(-limit, limit)) * unit
circle = [
    uniform(-1, 1),
    uniform(-100, 100),
    exponents(-30, 40),
    anything,
    multiple(10**5, math.pi / 2),
    multiple(10**9, math.pi / 2),
]
hard = (6381956970095103.0 * 2.0**797, 2.0**30, -(2.0**30), math.nextafter(2.0**30, 0), MAX, 1e22, math.pi, math.pi / 2)
tip = [(INF, NAN), (-INF, NAN)]
unary("sin", 4, 2.1, m.sin, SAME_ZERO + small + tip + at(m.sin, *hard), *circle)
unary("cos", 4, 2.1, m.cos, [(0.0, 1.0), (-0.0, 1.0)] + tip + at(m.cos, *hard), *circle)
unary("tan", 5, 1.1, m.tan, SAME_ZERO + small + tip + at(m.tan, *hard), *circle)
turns = [
    uniform(-1, 1),
    uniform(-100, 100),
    exponents(-60, 35),
    lambda: random.randint(-(10**5), 10**5) / 2 + exponents(-34, -1)(),
]
pi_tip = [*SAME_ZERO, *tip]
unary(
    "sinpi",
    4,
    1.2,
    m.sinpi,
    pi_tip
    + [(s * n, s * 0.0) for s in (1, -1) for n in (1.0, 2.0, 3.0, 2.0**53, MAX)]
    + [(0.5, 1.0), (1.5, -1.0), (-0.5, -1.0), (2.5, 1.0)]
    + at(m.sinpi, TINY, 0.25, -0.75),
    *turns,
)
unary(
    "cospi",
    4,
    0.9,
    m.cospi,
    [(0.0, 1.0), (-0.0, 1.0), *tip]
    + [(s * (n + 0.5), 0.0) for s in (1, -1) for n in (0, 1, 2, 2**51)]
    + [(1.0, -1.0), (2.0, 1.0), (-1.0, -1.0), (2.0**52 + 1, -1.0), (2.0**53, 1.0), (MAX, 1.0)],
    *turns,
)
unary(
    "tanpi",
    6,
    1.1,
    lambda x: m.sinpi(x) / m.cospi(x),
    pi_tip
    + [(s * n, s * (-1.0) ** n * 0.0) for s in (1, -1) for n in (1, 2, 3, 2**52 + 1)]
    + [(n + 0.5, -INF if n % 2 else INF) for n in (0, 1, 2, 3, -1, -2, -3)]
    + [(MAX, 0.0), (-MAX, -0.0), (0.25, 1.0), (0.75, -1.0), (-0.25, -1.0)],
    *turns,
)
unit = [
    uniform(-1, 1),
    exponents(-60, -1),
    lambda: 1 - exponents(-53, -1, False)(),
    lambda: exponents(-53, -1, False)() - 1,
]
beyond = [(1.5, NAN), (-1.0000000000000002, NAN), (INF, NAN), (-INF, NAN)]
ends = lambda f: at(f, 1.0, -1.0, 0.5, -0.5, 0.9999999999999999, -0.9999999999999999)
over_pi = lambda f: lambda *x: f(*x) / mp.pi
unary("asin", 4, 0.8, m.asin, SAME_ZERO + small + beyond + ends(m.asin), *unit)
unary(
    "asinpi",
    5,
    1.1,
    over_pi(m.asin),
    SAME_ZERO + beyond + [(1.0, 0.5), (-1.0, -0.5)] + at(over_pi(m.asin), TINY, 3e-310, 0.5),
    *unit,
)
unary("acos", 4, 0.8, m.acos, beyond + [(1.0, 0.0)] + at(m.acos, 0.0, -0.0, -1.0, 0.5, -0.5, 0.9999999999999999), *unit)
unary(
    "acospi",
    5,
    0.8,
    over_pi(m.acos),
    beyond + [(1.0, 0.0), (-1.0, 1.0), (0.0, 0.5), (-0.0, 0.5)] + at(over_pi(m.acos), 0.5, -0.5),
    *unit,
)
line = [anything, uniform(-1, 1), uniform(-5, 5), exponents(-20, 20)]
half_pi = mp.pi / 2
unary(
    "atan", 5, 1.1, m.atan, SAME_ZERO + small + [(INF, half_pi), (-INF, -half_pi)] + at(m.atan, MAX, 1.0, -1.0), *line
)
unary(
    "atanpi",
    5,
    1.6,
    over_pi(m.atan),
    SAME_ZERO + [(INF, 0.5), (-INF, -0.5), (1.0, 0.25)] + at(over_pi(m.atan), MAX, TINY),
    *line,
)
for name, unit_angle, bar, held in (("atan2", mp.pi, 6, 1.6), ("atan2pi", mpf(1), 6, 2.2)):
    z = lambda v: v * unit_angle if v != 0 else v
    corner = [
        (s * 0.0, x, s * z(mpf(1)) if math.copysign(1, x) < 0 else s * 0.0)
        for s in (1, -1)
        for x in (0.0, -0.0, 1.0, -1.0, INF, -INF, TINY)
    ]
    corner += [
        (s * y, x, s * z(mpf(1) / 2))
        for s in (1, -1)
        for y, x in ((1.0, 0.0), (1.0, -0.0), (INF, 1.0), (INF, -1.0), (TINY, 0.0))
    ]
    corner += [(s * 2.0, INF, s * 0.0) for s in (1, -1)] + [(s * 2.0, -INF, s * z(mpf(1))) for s in (1, -1)]
    corner += [(s * INF, INF, s * z(mpf(1) / 4)) for s in (1, -1)] + [
        (s * INF, -INF, s * z(mpf(3) / 4)) for s in (1, -1)
    ]
    corner += [
        (NAN, 1.0, NAN),
        (1.0, NAN, NAN),
        (NAN, INF, NAN),
        (INF, NAN, NAN),
        (MAX, MAX, z(mpf(1) / 4)),
        (TINY, TINY, z(mpf(1) / 4)),
    ]
    f = lambda y, x: m.atan2(mpf(y), mpf(x)) * unit_angle / mp.pi
    binary(
        name,
        bar,
        held,
        f,
        corner,
        lambda: (anything(), anything()),
        lambda: (random.uniform(-5, 5), random.uniform(-5, 5)),
        lambda: (lambda x: (x * random.uniform(-3, 3), x))(exponents(-1000, 1000)()),
        lambda: (lambda x: (x * random.uniform(-3, 3), x))(exponents(-1060, -1000)()),
    )

# ---- Error function and gamma -----------------------------------------------------------------------------------
unary(
    "erf",
    16,
    1.2,
    m.erf,
    SAME_ZERO + [(INF, 1.0), (-INF, -1.0)] + at(m.erf, TINY, 1.0, -1.0, 6.0),
    uniform(-1, 1),
    uniform(-6, 6),
    exponents(-60, 2),
)
unary(
    "erfc",
    16,
    4.0,
    m.erfc,
    [(0.0, 1.0), (-0.0, 1.0), (INF, 0.0), (-INF, 2.0), (30.0, 0.0)] + at(m.erfc, 27.2, 26.5, 1.0),
    uniform(-1, 1),
    uniform(-6, 27.5),
    exponents(-60, 2),
)
gammas = [
    (0.0, INF),
    (-0.0, -INF),
    (INF, INF),
    (-INF, NAN),
    (-1.0, NAN),
    (-2.0, NAN),
    (-1e300, NAN),
    (200.0, INF),
    (-200.5, -0.0),
    (-201.5, 0.0),
]
unary(
    "tgamma",
    16,
    8.0,
    m.gamma,
    gammas + at(m.gamma, 1.0, 2.0, 5.0, 171.0, 171.6243769563027, 171.7, 1e-308, -1e-308, TINY),
    uniform(0, 3),
    uniform(-5, 5),
    uniform(-180, 171.6),
    exponents(-1000, 7, False),
)
log_gamma = lambda x: m.log(abs(m.gamma(x))) if abs(x) < 1e5 else m.re(m.loggamma(x))
poles = [(0.0, INF), (-0.0, INF), (INF, INF), (-INF, INF), (-1.0, INF), (-1e300, INF), (1.0, 0.0), (2.0, 0.0)]
unary(
    "lgamma",
    "-",
    3.0,
    log_gamma,
    poles + at(log_gamma, TINY, 3.0, 1e305, MAX),
    uniform(0, 1),
    uniform(1, 3),
    uniform(2, 20),
    exponents(-1000, 1000, False),
    about(1.0, -40, -3),
    about(2.0, -40, -3),
)
sign = lambda x: -1.0 if x < 0 and int(math.floor(x)) % 2 else 1.0
unary(
    "lgamma_r_sign",
    0,
    0,
    lambda x: sign(float(x)),
    [(0.0, 1.0), (-0.0, -1.0), (INF, 1.0), (NAN, 1.0)],
    uniform(-50, 50),
)

# ---- Exact functions --------------------------------------------------------------------------------------------


def fraction(x):
    return Fraction(x)


def signed(r, x):
    """A zero has the sign of the argument."""
    return math.copysign(0.0, x) if r == 0 else float(r)


def truncated(x, y):
    a, b = abs(fraction(x)), abs(fraction(y))
    r = a - (a // b) * b
    return signed(-r if x < 0 else r, x)


def nearest(x, y):
    a, b = fraction(x), fraction(y)
    q = round(a / b)
    return q, signed(a - q * b, x)


def quotient(x, y):
    q, _ = nearest(x, y)
    return float(-(-q % 128) if q < 0 else q % 128)


none = [
    (1.0, 0.0, NAN),
    (INF, 1.0, NAN),
    (NAN, 1.0, NAN),
    (1.0, NAN, NAN),
    (0.0, 0.0, NAN),
    (1.5, INF, 1.5),
    (-1.5, -INF, -1.5),
    (0.0, 3.0, 0.0),
    (-0.0, 3.0, -0.0),
]
divisions = [
    lambda: (anything(), anything()),
    lambda: (random.uniform(-99, 99), random.uniform(-5, 5)),
    lambda: (random.randint(-9999, 9999) / 2, float(random.randint(1, 60))),
    lambda: (lambda y: (y * exponents(45, 62)(), y))(exponents(-900, 900)()),
]
far = [
    (MAX, TINY),
    (MAX, 3e-324),
    (1e308, 3.0),
    (TINY, MAX),
    (-MAX, 7 * TINY),
    (4.5, 3.0),
    (-4.5, 3.0),
    (7.5, -3.0),
    (2.0**53, 3.0),
]
binary("fmod", 0, 0, truncated, none + [(x, y, truncated(x, y)) for x, y in far], *divisions)
binary("remainder", 0, 0, lambda x, y: nearest(x, y)[1], none + [(x, y, nearest(x, y)[1]) for x, y in far], *divisions)
binary(
    "remquo_quotient",
    0,
    0,
    quotient,
    [(x, y, 0.0) for x, y, _ in none] + [(x, y, quotient(x, y)) for x, y in far],
    *divisions,
)
hypots = [
    (INF, NAN, INF),
    (NAN, -INF, INF),
    (NAN, 1.0, NAN),
    (-0.0, -0.0, 0.0),
    (3.0, -4.0, 5.0),
    (MAX, 0.0, MAX),
    (MAX, MAX, INF),
    (0.0, TINY, TINY),
    (-INF, 1.0, INF),
]
binary(
    "hypot",
    4,
    1.0,
    lambda x, y: m.sqrt(mpf(x) ** 2 + mpf(y) ** 2),
    hypots,
    lambda: (anything(), anything()),
    lambda: (random.uniform(-5, 5), random.uniform(-5, 5)),
    lambda: (lambda x: (x * random.uniform(-3, 3), x))(anything() * 0.25),
)
after = lambda x, y: math.nextafter(x, y)
binary(
    "nextafter",
    0,
    0,
    after,
    [
        (x, y, after(x, y))
        for x in (0.0, -0.0, 1.0, -1.0, TINY, -TINY, MAX, -MAX, INF, -INF)
        for y in (0.0, -0.0, 1.0, INF, -INF, -2.0)
    ]
    + [(NAN, 1.0, NAN), (1.0, NAN, NAN)],
    lambda: (anything(), anything()),
)


def load(x, n):
    r = fraction(x) * Fraction(2) ** int(n)
    return rounded(r)[0] if r else x


binary(
    "ldexp",
    0,
    0,
    load,
    [(x, n, x) for x in (0.0, -0.0, INF, -INF, NAN) for n in (-5.0, 5.0, 2147483647.0)]
    + [(1.0, 2147483647.0, INF), (-1.0, -2147483648.0, -0.0), (TINY, 2097.0, 2.0**1023), (MAX, -2099.0, 0.0)],
    lambda: (anything(), integer(-2100, 2100)),
    lambda: (exponents(-1074, -950)(), integer(-120, 20)),
    lambda: (anything(), integer(-100, 100)),
)
exponent = lambda x: float(math.frexp(float(x))[1] - 1)
unary("logb", 0, 0, exponent, [(0.0, -INF), (-0.0, -INF), (INF, INF), (-INF, INF), (TINY, -1074.0)], anything)
unary(
    "ilogb", 0, 0, exponent, [(0.0, -2147483648.0), (INF, 2147483647.0), (NAN, 2147483647.0), (TINY, -1074.0)], anything
)
unary("frexp", 0, 0, lambda x: math.frexp(float(x))[0], SAME, anything, exponents(-1074, -1022))
unary(
    "frexp_exponent",
    0,
    0,
    lambda x: exponent(x) + 1,
    [(x, 0.0) for x in (0.0, -0.0, INF, -INF, NAN)],
    anything,
    exponents(-1074, -1022),
)
unary(
    "modf",
    0,
    0,
    lambda x: signed(math.modf(float(x))[0], float(x)),
    SAME_ZERO + [(INF, 0.0), (-INF, -0.0), (-3.0, -0.0)],
    anything,
    uniform(-99, 99),
)
unary("modf_whole", 0, 0, lambda x: math.copysign(math.modf(float(x))[1], float(x)), SAME, anything, uniform(-99, 99))
below_1 = math.nextafter(1.0, 0.0)
unary(
    "fract",
    0,
    0,
    lambda x: min(float(x) - math.floor(float(x)), below_1),
    SAME_ZERO + [(INF, 0.0), (-INF, -0.0), (-TINY, below_1), (-3.0, 0.0)],
    exponents(-1074, 60),
    uniform(-99, 99),
)
unary(
    "fract_whole",
    0,
    0,
    lambda x: float(math.floor(float(x))) if x < 0 or x >= 1 else 0.0,
    SAME,
    exponents(-1074, 60),
    uniform(-99, 99),
)
section("nan", 0, 0, [(0.0, NAN), (1.0, NAN)])

# ---- Those in math.cl -------------------------------------------------------------------------------------------
whole = [anything, uniform(-9, 9), exponents(40, 60), lambda: random.randint(-99, 99) / 2]
away = lambda x: math.copysign(float(math.floor(abs(fraction(x)) + Fraction(1, 2))), x)
unary("fabs", 0, 0, lambda x: abs(float(x)), [(-0.0, 0.0), (-INF, INF)], anything)
unary("floor", 0, 0, lambda x: signed(Fraction(math.floor(float(x))), float(x)), SAME, *whole)
unary("ceil", 0, 0, lambda x: signed(Fraction(math.ceil(float(x))), float(x)), SAME, *whole)
unary("trunc", 0, 0, lambda x: signed(Fraction(math.trunc(float(x))), float(x)), SAME, *whole)
unary("rint", 0, 0, lambda x: signed(Fraction(round(float(x))), float(x)), SAME, *whole)
unary("round", 0, 0, lambda x: away(float(x)), SAME + [(0.49999999999999994, 0.0)], *whole)
unary(
    "sqrt",
    0,
    0.5,
    m.sqrt,
    SAME_ZERO + [(INF, INF), (-1.0, NAN), (-INF, NAN)] + at(m.sqrt, TINY, MAX),
    positive,
    uniform(0, 9),
)
unary(
    "rsqrt",
    2,
    1.5,
    lambda x: 1 / m.sqrt(x),
    [(0.0, INF), (-0.0, -INF), (INF, 0.0), (-1.0, NAN)] + at(lambda x: 1 / m.sqrt(x), TINY, MAX),
    positive,
    uniform(0, 9),
)
pairs = lambda: (anything(), anything())
close = lambda: (random.uniform(-3, 3), random.uniform(-3, 3))
binary("copysign", 0, 0, math.copysign, [(0.0, -1.0, -0.0), (INF, -0.0, -INF)], pairs)
binary(
    "fdim",
    0,
    0,
    lambda x, y: rounded(max(fraction(x) - fraction(y), 0))[0],
    [(INF, INF, 0.0), (INF, -INF, INF), (NAN, 1.0, NAN), (1.0, NAN, NAN)],
    pairs,
    close,
)
binary("fmax", 0, 0, max, [(NAN, 1.0, 1.0), (1.0, NAN, 1.0), (NAN, NAN, NAN), (INF, -INF, INF)], pairs, close)
binary("fmin", 0, 0, min, [(NAN, 1.0, 1.0), (1.0, NAN, 1.0), (NAN, NAN, NAN), (INF, -INF, -INF)], pairs, close)
largest = lambda x, y: x if abs(x) > abs(y) else y if abs(y) > abs(x) else max(x, y)
smallest = lambda x, y: x if abs(x) < abs(y) else y if abs(y) < abs(x) else min(x, y)
binary("maxmag", 0, 0, largest, [(-2.0, 2.0, 2.0), (NAN, 1.0, 1.0), (1.0, NAN, 1.0), (-3.0, 2.0, -3.0)], pairs, close)
binary("minmag", 0, 0, smallest, [(-2.0, 2.0, -2.0), (NAN, 1.0, 1.0), (1.0, NAN, 1.0), (-3.0, 2.0, 2.0)], pairs, close)
product = lambda x, y: fraction(x) * fraction(y)
binary(
    "fma",
    0,
    0.5,
    lambda x, y: product(x, y) - 1 if product(x, y) != 1 else 0.0,
    [(1.0, 1.0, 0.0), (INF, 0.0, NAN)],
    close,
    lambda: (1 + exponents(-52, -30)(), 1 + exponents(-52, -30)()),
)

# The zeros of log |Γ| below 0, where the terms of the reflection cancel.
zeros = [m.findroot(log_gamma, x) for x in (-2.457, -2.7476, -3.1436, -3.9553, -4.0393, -6.0014, -9.99999972)]
unary(
    "lgamma",
    "-",
    7.0,
    log_gamma,
    poles + at(log_gamma, *map(float, zeros)),
    uniform(-2, 0),
    uniform(-3, -2),
    uniform(-20, -3),
    *(about(float(zero), -49, -6) for zero in zeros),
)
