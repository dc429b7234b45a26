#!/usr/bin/env python3
"""Writes cl/double_coefficients.h: the polynomials and constants of the double mathematics.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install mpmath
    /tmp/venv/bin/python crates/builtins/scripts/double_coefficients.py > crates/builtins/cl/double_coefficients.h

A polynomial interpolates its function at the Chebyshev nodes of the interval, which is within a bit of the minimax
polynomial, in 60 digits, and is rounded to doubles. Beside each stands the largest error that was found, as a power of
two; where that is more than the rounding of the lowest coefficient, add a term.
"""

from mpmath import (
    mp,
    mpf,
    matrix,
    lu_solve,
    cos,
    pi,
    exp,
    log,
    sqrt,
    erfc,
    gamma,
    loggamma,
    cbrt,
    floor,
    nstr,
    polyval,
    factorial,
    tan,
    psi,
    sin,
    cot,
    findroot,
)

from log_steps import BOTTOM, STEPS, TOP, steps_of_log

mp.dps = 60


def double(x):
    """The nearest double, as an exact number."""
    return mpf(float(x))


def hexa(x):
    return float(x).hex()


def split(x, parts, bits=53):
    """x as a sum of numbers of some bits each."""
    out = []
    for i in range(parts):
        if x == 0:
            out.append(mpf(0))
            continue
        part = double(x)
        if bits < 53 and i < parts - 1:
            scale = mpf(2) ** (bits - 1 - int(floor(log(abs(x), 2))))
            part = floor(x * scale) / scale
        out.append(part)
        x -= part
    return out


def nodes(a, b, n):
    return [(a + b) / 2 + (b - a) / 2 * cos((2 * i + 1) * pi / (2 * n)) for i in range(n)]


def interpolate(f, a, b, n):
    """The coefficients of degree 0..n-1 by Newton's divided differences."""
    xs = nodes(a, b, n)
    table = [f(x) for x in xs]
    for level in range(1, n):
        for i in range(n - 1, level - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (xs[i] - xs[i - level])
    coefficients = [mpf(0)]
    for x, d in zip(reversed(xs), reversed(table)):
        shifted = [mpf(0)] + coefficients
        coefficients = [s - x * c for s, c in zip(shifted, coefficients + [mpf(0)])]
        coefficients[0] += d
    return coefficients[:n]


def estrin(c):
    """The lines of a function that evaluates a polynomial: by Horner's rule at its end, where roundings count, and by
    Estrin's before, where only the time from start to end does."""
    lines, level, power = [], c[2:], 1
    letter = ord("a")
    while len(level) > 1:
        x = "x" if power == 1 else f"x{power}"
        if power > 1:
            half = "x" if power == 2 else f"x{power // 2}"
            lines.append(f"  double {x} = {half} * {half};")
        pairs = []
        for i in range(0, len(level), 2):
            if i + 1 == len(level):
                pairs.append(level[i])
                continue
            name = f"{chr(letter)}{i // 2}"
            lines.append(f"  double {name} = FMA({level[i + 1]}, {x}, {level[i]});")
            pairs.append(name)
        level, power, letter = pairs, 2 * power, letter + 1
    return lines + [f"  return FMA(FMA({level[0]}, x, {c[1]}), x, {c[0]});"]


def poly(name, what, f, a, b, n, array=False):
    """A function that evaluates the polynomial, or only its coefficients."""
    a, b = mpf(a), mpf(b)
    c = [double(c) for c in interpolate(f, a, b, n)]
    error = max(abs(polyval(c[::-1], x) - f(x)) for x in nodes(a, b, 4 * n + 3))
    print(f"// {what} on [{nstr(a, 4)}, {nstr(b, 4)}], within 2^{nstr(log(error, 2), 4)}")
    if array:
        print(f"static __constant const double {name}[{n}] = {{")
        print("\n".join(f"  {hexa(value)}," for value in c))
        print("};\n")
        return
    print(f"INLINE double {name}(double x) {{")
    print("\n".join(estrin([hexa(value) for value in c])))
    print("}\n")


def table(name, what, values):
    print(f"// {what}")
    print(f"static __constant const double {name}[{len(values)}] = {{")
    print("\n".join(f"  {hexa(double(value))}," for value in values))
    print("};\n")


def constant(name, x, parts=1, bits=53):
    values = split(x, parts, bits)
    names = (
        [name] if parts == 1 else [f"{name}_{i}" for i in range(parts)] if parts > 2 else [name + "_HI", name + "_LO"]
    )
    for part_name, value in zip(names, values):
        print(f"#define {part_name} {hexa(value)}")


def series(term, count=60):
    return lambda z: sum(term(i) * z**i for i in range(count))


print("""// Written by scripts/double_coefficients.py: see there how. Do not edit.

#pragma once
""")

print("// Constants as sums of doubles. LN2_42, LN2_38 and LOG10_2_42 begin with so many bits: times an exponent, they are exact.")
ln2 = log(mpf(2))
ln10 = log(mpf(10))
constant("LN2", ln2, 2)
constant("LN2_42", ln2, 2, 42)
constant("LN2_38", ln2, 2, 38)
constant("LOG2_E", 1 / ln2, 2)
constant("LN10", ln10, 2)
constant("LOG10_2_42", ln2 / ln10, 2, 42)
constant("LOG2_10", ln10 / ln2)
constant("LOG10_E", 1 / ln10, 2)
constant("PI", pi, 2)
constant("PI_2", pi / 2, 2)
constant("PI_4", pi / 4, 2)
constant("ONE_PI", 1 / pi, 2)
constant("TWO_PI", 2 / pi)
constant("HALF_PI", pi / 2, 3)
constant("TAN_PI_8", tan(pi / 8))
constant("TAN_3PI_8", tan(3 * pi / 8))
constant("CBRT_1_2", cbrt(mpf(1) / 2))
constant("CBRT_1_4", cbrt(mpf(1) / 4))
print()

half = ln2 / 2 * (1 + mpf(2) ** -20)
poly("exp_tail", "(e^x - 1 - x) / x²", series(lambda i: 1 / factorial(i + 2)), -half, half, 11)
tenth = ln2 / ln10 / 2 * (1 + mpf(2) ** -20)
poly("exp10_tail", "(10^x - 1 - x ln 10) / x²", series(lambda i: ln10 ** (i + 2) / factorial(i + 2)), -tenth, tenth, 11)
poly("cosh_tail", "(cosh r - 1) / r², x = r²", series(lambda i: 1 / factorial(2 * i + 2)), 0, half**2, 6)
poly("sinh_tail", "(sinh r - r) / r³, x = r²", series(lambda i: 1 / factorial(2 * i + 3)), 0, half**2, 6)

thirtysecond = ln2 / 32 * (1 + mpf(2) ** -20)
poly("exp_step_tail", "(e^x - 1 - x) / x²", series(lambda i: 1 / factorial(i + 2)), -thirtysecond, thirtysecond, 5)
poly(
    "exp2_step_tail",
    "(2^x - 1 - x ln 2) / x²",
    series(lambda i: ln2 ** (i + 2) / factorial(i + 2)),
    -mpf(1) / 32,
    mpf(1) / 32,
    5,
)
table("exp_steps", "2^(i/16)", [mpf(2) ** (mpf(i) / 16) for i in range(16)])

# s = (m - 1) / (m + 1) for a mantissa m in [3/4, 3/2)
widest = mpf(1) / 25 * (1 + mpf(2) ** -20)
poly("log_tail", "(2 atanh s - 2 s) / s³, x = s²", series(lambda i: mpf(2) / (2 * i + 3)), 0, widest, 9)

poly("log_step_tail", "(log(1 + x) - x + x²/2) / x³", series(lambda i: mpf(-1) ** i / (i + 3)), BOTTOM, TOP, 10)
table(
    "log_inverses",
    "The steps of the logarithm: r for a mantissa m in [3/4, 3/2), by the bits behind its first",
    [r for r, _, _ in STEPS],
)
for name, base in (("log", mpf(1)), ("log2", ln2)):
    # Their sums with multiples of LN2_42_HI, or of 1, are exact.
    parts = steps_of_log(base, 42, split(ln2, 2, 42)[0] if name == "log" else mpf(1))
    for part, values in zip(("hi", "lo"), parts):
        table(f"{name}_steps_{part}", f"{name}(1/r), for m below 1 {name}(2/r)", values)

eighth = (pi / 4 * (1 + mpf(2) ** -16)) ** 2
poly("sin_tail", "(sin r - r) / r³, x = r²", series(lambda i: (-1) ** (i + 1) / factorial(2 * i + 3)), 0, eighth, 7)
quadrants = (pi / 2 * (1 + mpf(2) ** -16)) ** 2
poly(
    "half_turn_tail", "(sin r - r) / r³, x = r²", series(lambda i: (-1) ** (i + 1) / factorial(2 * i + 3)), 0, quadrants, 8
)
poly("cos_tail", "(cos r - 1 + r²/2) / r⁴, x = r²", series(lambda i: (-1) ** i / factorial(2 * i + 4)), 0, eighth, 7)
quarter = mpf(1) / 16
poly(
    "sinpi_tail",
    "(sin πr - πr) / r³, x = r²",
    series(lambda i: (-1) ** (i + 1) * pi ** (2 * i + 3) / factorial(2 * i + 3)),
    0,
    quarter,
    7,
)
constant("PI2_2", pi**2 / 2, 2)
poly(
    "cospi_tail",
    "(cos πr - 1 + π²r²/2) / r⁴, x = r²",
    series(lambda i: (-1) ** i * pi ** (2 * i + 4) / factorial(2 * i + 4)),
    0,
    quarter,
    7,
)
z = tan(pi / 8) ** 2 * (1 + mpf(2) ** -20)
poly("atan_tail", "(atan t - t) / t³, x = t²", series(lambda i: mpf(-1) ** (i + 1) / (2 * i + 3), 90), 0, z, 13)


def asin_term(i):
    i += 1
    return factorial(2 * i) / (mpf(4) ** i * factorial(i) ** 2 * (2 * i + 1))


poly("asin_tail", "(asin t - t) / t³, x = t²", series(asin_term, 120), 0, mpf(1) / 4, 14)
poly("cbrt_guess", "x^(-1/3)", lambda x: 1 / cbrt(x), 1, 2, 6)

poly(
    "erf_tail",
    "(erf t - t) / t, x = t²",
    series(lambda i: 2 / sqrt(pi) * mpf(-1) ** i / (factorial(i) * (2 * i + 1)) - (1 if i == 0 else 0)),
    0,
    1,
    14,
)


def erfcx(x):
    return exp(x * x) * erfc(x)


def shepherd(t):
    x = 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * erfcx(x)


poly("erfcx_scaled", "(1 + 2 r) e^(r²) erfc(r), x = (r - 4) / (r + 4)", shepherd, -1, mpf(24) / 32, 25)

# Gamma in Lanczos' form, Γ(x) = ((x + G - 1/2) / e)^(x - 1/2) n(x) / d(x), d(x) = x (x + 1) … (x + N - 2). The numerator
# interpolates where (x - 8) / (x + 8) is at a Chebyshev node; its coefficients are positive, so it is well conditioned.
N, G = 12, mpf(13) / 2


def gamma_quotient(x):
    return gamma(x) * (exp(1) / (x + G - mpf(1) / 2)) ** (x - mpf(1) / 2)


def lanczos():
    denominator = [mpf(1)]
    for k in range(N - 1):
        denominator = [u + v for u, v in zip([mpf(0)] + denominator, [k * c for c in denominator] + [mpf(0)])]
    a, b = matrix(N, N), matrix(N, 1)
    for row, u in enumerate(nodes(mpf(-1), mpf(1), N)):
        x = 8 * (1 + u) / (1 - u)
        for k in range(N):
            a[row, k] = x**k
        b[row] = polyval(denominator[::-1], x) * gamma_quotient(x)
    numerator = list(lu_solve(a, b))
    at = [mpf(10) ** (mpf(i) / 8) for i in range(-40, 18)]
    error = max(abs(polyval(numerator[::-1], x) / polyval(denominator[::-1], x) / gamma_quotient(x) - 1) for x in at)
    return numerator, denominator, error


numerator, denominator, error = lanczos()
print(
    f"// Γ(x) = ((x + GAMMA_SHIFT) / e)^(x - 1/2) gamma_numerator(x) / gamma_denominator(x), within 2^{nstr(log(error, 2), 4)}"
)
constant("GAMMA_SHIFT", G - mpf(1) / 2)
print("// The even and the odd powers apart: half as many roundings, and what x² is wrong by leaves the quotient alone.")
for name, c in (("gamma_numerator", numerator), ("gamma_denominator", denominator)):
    print(f"INLINE double {name}(double x) {{")
    print(f"  double z = x * x, even = {hexa(double(c[-2]))}, odd = {hexa(double(c[-1]))};")
    for i in range(N - 4, -1, -2):
        print(f"  even = FMA(even, z, {hexa(double(c[i]))});" if c[i] else "  even = even * z;")
        print(f"  odd = FMA(odd, z, {hexa(double(c[i + 1]))});")
    print("  return FMA(odd, x, even);\n}\n")
poly(
    "lgamma_near_2",
    "log Γ(2 + x) / x",
    lambda x: loggamma(2 + x) / x if abs(x) > 1e-30 else psi(0, mpf(2)),
    -0.5,
    0.5,
    20,
)

# Where log |Γ(-a)| is zero: a = m + f, for each m one f above it and one below. At 2 there is none below.
poly(
    "lgamma_from_3",
    "(log Γ(3 + x) - log Γ(3)) / x",
    lambda x: (loggamma(3 + x) - log(mpf(2))) / x if abs(x) > 1e-30 else psi(0, mpf(3)),
    -0.5,
    0.6,
    20,
    array=True,
)


def gamma_zero(m, sign):
    def equation(u):
        f = sign * exp(u)
        return loggamma(1 + m + f) + log(sin(pi * abs(f)) / pi)

    start = {(2, 1): mpf(0.457), (3, -1): mpf(0.252), (3, 1): mpf(0.143)}.get((m, sign), 1 / factorial(m))
    return sign * exp(findroot(equation, log(start)))


print("// The f at which Γ(-m - f) is 1 or -1, above and below each m from 2 on: f in two parts, sin(πf), cot(πf).")
print("static __constant const double gamma_zeros[17][2][4] = {")
for m in range(2, 19):
    rows = []
    for sign in (1, -1):
        f = gamma_zero(m, sign) if (m, sign) != (2, -1) else mpf(-1) / 4
        rows.append("{" + ", ".join(hexa(double(x)) for x in (*split(f, 2), sin(pi * f), cot(pi * f))) + "}")
    print(f"  {{{rows[0]}, {rows[1]}}},")
print("};\n")

chunks = 26
mp.prec = 48 * chunks + 200
value = 2 / pi
print("// The bits of 2/π behind the point, 48 in each, as numbers below 1.")
print(f"static __constant const double two_pi_chunks[{chunks}] = {{")
for i in range(chunks):
    value *= mpf(2) ** 48
    chunk = int(floor(value))
    value -= chunk
    print(f"  {hexa(mpf(chunk) / mpf(2) ** 48)},")
print("};")
