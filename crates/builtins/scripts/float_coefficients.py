#!/usr/bin/env python3
"""Writes ../cl/float_polynomials.h: the polynomials of the float functions, found by our Remez (remez.py).

    pip install mpmath && python3 float_coefficients.py        # about two minutes

Each entry says what is approximated, where, and in which weight the error is least. The weight turns the error of the
polynomial into the relative error of the function's result.
"""
import os
import sys
from mpmath import mp, mpf, exp, log, log1p, sin, cos, tan, atan, asin, erf, erfc, tanh, sinh, sqrt, pi, gamma, loggamma
from remez import fit, hexadecimal

LN2 = log(2)
QUARTER = pi / 4 * mpf("1.01")
TINY = mpf(2) ** -80


def away(x):
    """x, or something next to it where the function below would divide nought by nought."""
    return x if abs(x) > TINY else TINY


def big(x):
    """As away, for a third difference."""
    return x if abs(x) > mpf(2) ** -40 else mpf(2) ** -40


def of_square(f):
    """(f(r) - r) / r^3 as a function of z = r^2, for an odd f with f(r) ~ r."""
    def g(z):
        r = sqrt(away(z))
        return (f(r) - r) / r**3
    return g


def odd_weight(f):
    """The relative error of f(r) = r + r^3 P(r^2) is the error of P times this."""
    def w(z):
        r = sqrt(away(z))
        return r**3 / f(r)
    return w


def log_part(base):
    scale = 1 / log(base)
    return (lambda f: (log1p(away(f)) - away(f)) / away(f) ** 2 * scale,
            lambda f: away(f) ** 2 / log1p(away(f)) / scale)


def stirling(z):
    """What is left of Γ(z) when (z + 3/2)^(z - 1/2) e^-(z + 3/2) is divided out, and the pole at nought taken away."""
    t = z + mpf("1.5")
    return gamma(z + 1) / t / exp((z - mpf(1) / 2) * log(t) - t)


def of_inverse(f, shift):
    return lambda u: f(1 / u - shift)


def erfcx(u):
    """exp(a^2) erfc(a) for u = (a - 2) / (a + 2), times (a + 2)."""
    a = 2 * (1 + u) / (1 - u)
    return exp(a * a) * erfc(a) * (a + 2)


def lgamma_root(x):
    """log Γ(x) divided by its zeros at 1 and 2."""
    x = mpf(x)
    for root in (1, 2):
        if abs(x - root) < mpf(2) ** -60:
            x = root + mpf(2) ** -60
    return loggamma(x) / ((x - 1) * (x - 2))


def lgamma_rest(u):
    """log Γ(x) - ((x - 1/2) log x - x + log(2π)/2), times x, as a function of u = 1/x^2."""
    x = 1 / sqrt(away(u))
    if x > 10**4:
        return mpf(1) / 12 - u / 360
    return (loggamma(x) - ((x - mpf(1) / 2) * log(x) - x + log(2 * pi) / 2)) * x


ln_f, ln_w = log_part(mp.e)
l2_f, l2_w = log_part(mpf(2))
l10_f, l10_w = log_part(mpf(10))
# m - 1 and (m - 1) / (m + 1) for a mantissa m in [3/4, 3/2).
LOW, HIGH = -mpf(1) / 4, mpf(1) / 2
POW_S = HIGH / (HIGH + 2)
# The latter for one in [√½, √2).
S = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1)
GB = 1 / (mpf("0.5") + mpf("1.5"))

# name: (what, function, from, to, degree, weight, bits)
POLYNOMIALS = {
    "EXP": ("(exp(r) - 1 - r) / r^2", lambda r: (exp(away(r)) - 1 - away(r)) / away(r) ** 2, -0.34662, 0.34661, 4,
            lambda r: away(r) ** 2 / exp(r), 24),
    "EXPM1": ("(exp(r) - 1 - r) / r^2, relative to exp(r) - 1",
              lambda r: (exp(away(r)) - 1 - away(r)) / away(r) ** 2, -0.34662, 0.34661, 5,
              lambda r: away(r) ** 2 / (exp(away(r)) - 1), 24),
    "EXP2": ("(2^r - 1) / r", lambda r: (2 ** away(r) - 1) / away(r), -0.50001, 0.5, 6,
             lambda r: away(r) / 2**r, 24),
    "EXP10": ("(10^r - 1) / r", lambda r: (10 ** away(r) - 1) / away(r), -0.15053, 0.15052, 6,
              lambda r: away(r) / 10**r, 24),
    "LOG": ("(log(1 + f) - f) / f^2", ln_f, LOW, HIGH, 8, ln_w, 24),
    "LOG2": ("(log2(1 + f) - f / ln 2) / f^2", l2_f, LOW, HIGH, 9, l2_w, 24),
    "LOG10": ("(log10(1 + f) - f / ln 10) / f^2", l10_f, LOW, HIGH, 9, l10_w, 24),
    "SIN": ("(sin(r) - r) / r^3 of r^2", of_square(sin), 0, QUARTER**2, 3, odd_weight(sin), 24),
    "COS": ("(cos(r) - 1 + r^2/2) / r^4 of r^2",
            lambda z: (cos(sqrt(away(z))) - 1 + away(z) / 2) / away(z) ** 2, 0, QUARTER**2, 2,
            lambda z: away(z) ** 2 / cos(sqrt(z)), 24),
    "TAN": ("(tan(r) - r) / r^3 of r^2", of_square(tan), 0, QUARTER**2, 6, odd_weight(tan), 24),
    "ATAN": ("(atan(t) - t) / t^3 of t^2", of_square(atan), 0, 1, 8, odd_weight(atan), 24),
    "ASIN": ("(asin(t) - t) / t^3 of t^2", of_square(asin), 0, 0.25, 4, odd_weight(asin), 24),
    "TANH": ("(tanh(x) - x) / x^3 of x^2", of_square(tanh), 0, 1, 7, odd_weight(tanh), 24),
    "SINH": ("(sinh(x) - x) / x^3 of x^2", of_square(sinh), 0, 1, 4, odd_weight(sinh), 24),
    "SINH_SHORT": ("(sinh(r) - r) / r^3 of r^2", of_square(sinh), 0, mpf("0.1202"), 2, odd_weight(sinh), 24),
    "COSH_SHORT": ("(cosh(r) - 1) / r^2 of r^2", lambda z: (mp.cosh(sqrt(away(z))) - 1) / away(z), 0, mpf("0.1202"), 2,
                   lambda z: z + TINY, 24),
    "ASINH": ("(asinh(x) - x) / x^3 of x^2", of_square(mp.asinh), 0, 0.25, 5, odd_weight(mp.asinh), 24),
    "ATANH": ("(atanh(x) - x) / x^3 of x^2", of_square(mp.atanh), 0, mpf("0.1225"), 4, odd_weight(mp.atanh), 24),
    "POW_LOG2": ("(log2(m) - 2 (s + s^3 / 3) / ln 2) / s^5 of s^2, s = (m - 1) / (m + 1)",
                 lambda z: (mp.atanh(sqrt(big(z))) - sqrt(big(z)) - sqrt(big(z)) ** 3 / 3) / sqrt(big(z)) ** 5 * 2 / LN2,
                 0, POW_S**2 * mpf("1.001"), 3, lambda z: (z + TINY) ** 2, 24),
    "ERF_SMALL": ("erf(x) / x - 1 of x^2, relative to erf", lambda z: erf(sqrt(away(z))) / sqrt(away(z)) - 1, 0, 1, 7,
                  lambda z: sqrt(away(z)) / erf(sqrt(away(z))), 24),
    "ERF_LARGE": ("log2(1 - erf(a)) of a - 1", lambda b: log(erfc(1 + b)) / LN2, 0, 2.95, 8,
                  lambda b: erfc(1 + b) / erf(1 + b) * LN2, 24),
    "NATIVE_EXP2": ("2^r", lambda r: mpf(2) ** r, -0.50001, 0.5, 5, lambda r: mpf(2) ** -r, 24),
    "NATIVE_LOG2": ("log2(1 + f) / f", lambda f: log1p(away(f)) / away(f) / LN2, LOW, HIGH, 8,
                    lambda f: away(f) / log1p(away(f)) * LN2, 24),
    "D_LOG": ("(log(m) - 2 s) / (2 s^3) of s^2, s = (m - 1) / (m + 1)",
              lambda z: (mp.atanh(sqrt(away(z))) - sqrt(away(z))) / sqrt(away(z)) ** 3, 0, S**2 * mpf("1.001"), 4,
              lambda z: z + TINY, 53),
    "D_LOG_EXACT": ("the same to the precision of double",
                    lambda z: (mp.atanh(sqrt(away(z))) - sqrt(away(z))) / sqrt(away(z)) ** 3, 0, S**2 * mpf("1.001"), 8,
                    lambda z: z + TINY, 53),
    "D_EXP2": ("2^r", lambda r: mpf(2) ** r, -0.50001, 0.5, 7, lambda r: mpf(2) ** -r, 53),
    "D_ERFCX": ("exp(a^2) erfc(a) (a + 2) of (a - 2) / (a + 2)", erfcx, -1, (mpf("10.2") - 2) / (mpf("10.2") + 2), 12,
                lambda u: 1 / erfcx(u), 53),
    "D_GAMMA": ("Γ(z + 1) / ((z + 3/2)^(z + 1/2) e^-(z + 3/2)) of 1 / (z + 3/2)", of_inverse(stirling, mpf("1.5")),
                1 / mpf(48), GB, 9, lambda u: 1 / of_inverse(stirling, mpf("1.5"))(u), 53),
    "D_SINPI": ("sin(π f) / f of f^2", lambda z: sin(pi * sqrt(away(z))) / sqrt(away(z)), 0, mpf("0.2501"), 8,
                lambda z: sqrt(away(z)) / sin(pi * sqrt(away(z))), 53),
    "D_LGAMMA": ("log Γ(x) / ((x - 1) (x - 2)) of x - 2, for x in [1, 3]", lambda t: lgamma_root(t + 2),
                 -1, 1, 20, lambda t: 1 / lgamma_root(t + 2), 53),
    "D_LGAMMA_REST": ("(log Γ(x) - (x - 1/2) log x + x - log(2π)/2) x of 1/x^2, for x from 3", lgamma_rest, 0,
                      mpf("0.1112"), 11, lambda u: 1 / mpf("0.08"), 53),
}

# Those that are not computed by Horner's rule: see float_math.h. Of Q, the first coefficient is a constant of its own.
RULES = {"ATAN": "R", "LOG": "R", "LOG2": "Q", "LOG10": "Q", "NATIVE_LOG2": "R"}


def main(names):
    lines = [
        "// Written by scripts/float_coefficients.py; do not edit. P<n>(x, c0, …) is c0 + c1 x + … + cn x^n; "
        "for R and Q see float_math.h.",
        "",
    ]
    for name, (what, f, a, b, degree, weight, bits) in POLYNOMIALS.items():
        if names and name not in names:
            continue
        coefficients, worst = fit(f, a, b, degree, weight=weight, bits=bits, fixed=4 if bits == 24 else 2)
        suffix = "f" if bits == 24 else ""
        rule = RULES.get(name, "P")
        texts = [hexadecimal(c, bits) + suffix for c in coefficients]
        error = mp.log(worst, 2)
        print(f"{name}: 2^{float(error):.1f}", file=sys.stderr)
        lines.append(f"// {what}; error 2^{float(error):.1f}")
        if rule == "Q":
            lines.append(f"#define POLY_{name}_FIRST {texts.pop(0)}")
        out, row = [], f"#define POLY_{name}(x) {rule}{len(texts) - 1}(x, "
        for piece in texts:
            if len(row) + len(piece) > 108:
                out.append(row.rstrip() + " \\")
                row = "    "
            row += piece + ", "
        out.append(row.rstrip(", ") + ")")
        lines += out + [""]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../cl/float_polynomials.h")
    if not names:
        with open(path, "w") as file:
            file.write("\n".join(lines[:-1]) + "\n")
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
