"""Minimax polynomials by the Remez exchange algorithm, with coefficients rounded one after the other.

    fit(f, a, b, degree)          minimax in absolute error
    fit(..., weight=w)            minimax of (f - p) * w
    fit(..., bits=24, fixed=k)    coefficients of 24 bits; after each of the first k is rounded the rest is fitted
                                  again, so that the later ones make up for the rounding of the earlier ones

Needs mpmath (pip install mpmath).
"""
from mpmath import mp, mpf, matrix, lu_solve, cos, pi, fabs, inf, sign

mp.prec = 400


def rounded(x, bits):
    """x to `bits` significant bits, to nearest."""
    if x == 0:
        return mpf(0)
    mantissa, exponent = mp.frexp(x)
    return mp.nint(mantissa * mpf(2) ** bits) * mpf(2) ** (exponent - bits)


def evaluate(powers, coefficients, x):
    return sum(c * x**p for p, c in zip(powers, coefficients))


def remez(f, a, b, powers, weight):
    """The coefficients of the powers for which the largest |(f - p) * weight| on [a, b] is least, and that error. Where the
    weight changes its sign, the alternation is sought both with it and without: neither finds the best one always."""
    if sign(weight(a)) == sign(weight(b)):
        return exchange(f, a, b, powers, weight)
    tries = [exchange(f, a, b, powers, w) for w in (weight, lambda x: fabs(weight(x)))]
    return min(tries, key=lambda found: found[1])


def exchange(f, a, b, powers, weight):
    """The same by exchange, for a weight whose sign counts."""
    n = len(powers)
    nodes = [(a + b) / 2 - (b - a) / 2 * cos(pi * (mpf(i) + mpf(1) / 2) / (n + 1)) for i in range(n + 1)]
    grid_size = max(40 * n, 400)
    grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * mpf(i) / grid_size) for i in range(grid_size + 1)]
    values = [(x, f(x), weight(x)) for x in grid]
    best = None
    for _ in range(30):
        system = matrix(n + 1, n + 1)
        right = matrix(n + 1, 1)
        for i, x in enumerate(nodes):
            for j, p in enumerate(powers):
                system[i, j] = x**p
            system[i, n] = (-1) ** i / weight(x)
            right[i] = f(x)
        solution = lu_solve(system, right)
        coefficients = [solution[j] for j in range(n)]
        errors = [(x, (fx - evaluate(powers, coefficients, x)) * w) for x, fx, w in values]
        worst = max(fabs(e) for _, e in errors)
        if best is None or worst < best[1]:
            best = (coefficients, worst)
        # One extremum from each run of errors of one sign.
        extrema = []
        for x, e in errors:
            if extrema and sign(extrema[-1][1]) == sign(e):
                if fabs(e) > fabs(extrema[-1][1]):
                    extrema[-1] = (x, e)
            else:
                extrema.append((x, e))
        while len(extrema) > n + 1:
            if fabs(extrema[0][1]) < fabs(extrema[-1][1]):
                extrema.pop(0)
            else:
                extrema.pop()
        if len(extrema) < n + 1 or worst < fabs(solution[n]) * mpf("1.001"):
            break
        nodes = [x for x, _ in extrema]
    return best


def fit(f, a, b, degree, weight=lambda x: mpf(1), bits=None, fixed=0):
    """The coefficients and their error. Of 0 to `fixed` leading coefficients rounded before the rest is fitted, the
    best choice is taken: fitting the rest is not always possible, since its powers are all nought at nought."""
    a, b = mpf(a), mpf(b)
    powers = list(range(degree + 1))
    free, worst = remez(f, a, b, powers, weight)
    if bits is None:
        return free, worst
    count = 1000
    points = [a + (b - a) * i / count for i in range(count + 1)]
    values = [(x, f(x), weight(x)) for x in points]
    best = None
    done, coefficients = [], free
    for k in range(fixed + 1):
        candidate = done + [rounded(c, bits) for c in coefficients]
        worst = max(fabs((fx - evaluate(powers, candidate, x)) * w) for x, fx, w in values)
        if best is None or worst < best[1]:
            best = (candidate, worst)
        if k == fixed:
            break
        done = candidate[: k + 1]
        remainder = lambda x, done=done: f(x) - evaluate(powers, done, x)
        coefficients, _ = remez(remainder, a, b, powers[k + 1 :], weight)
    return best


def hexadecimal(x, bits):
    """x as a C hexadecimal literal; exact if it was rounded to `bits`."""
    if x == 0:
        return "0.0"
    x = rounded(x, bits)
    mantissa, exponent = mp.frexp(fabs(x))
    digits = (bits - 1 + 3) // 4
    scaled = int(mp.nint(mantissa * 2 * mpf(2) ** (4 * digits)))
    text = f"{scaled:x}"
    tail = text[1:].rstrip("0")
    return f"{'-' if x < 0 else ''}0x{text[0]}{'.' + tail if tail else ''}p{exponent - 1}"
