"""The steps of the logarithm: a mantissa m in [3/4, 3/2) times one of sixteen reciprocals r, by the four bits behind the
first of m, is 1 + f with a small f."""
from mpmath import floor, log, mp, mpf

mp.dps = 60


def step(i):
    """r, and the range of f = m r - 1, which is exact in the format of m: for p bits of a mantissa, f has p and those of r
    behind the point, less those of its size. Next to 1, f is m - 1."""
    low, high = (mpf(16 + i + j) / 16 * (mpf(1) / 2 if i > 7 else 1) for j in (0, 1))
    if i in (0, 15):
        return mpf(1), low - 1, high - 1
    choices = []
    for b in range(8):
        for r in (mpf(n) / 2**b for n in range(2**b // 2, 2**b * 2 + 1)):
            f = max(abs(low * r - 1), abs(high * r - 1))
            if f <= mpf(2) ** (-b if i > 7 else 1 - b):
                choices.append((f, r, low * r - 1, high * r - 1))
    return min(choices)[1:]


STEPS = [step(i) for i in range(16)]
BOTTOM, TOP = min(f for _, f, _ in STEPS), max(f for _, _, f in STEPS)


def steps_of_log(base, bits, one):
    """log(1/r) as multiples of 2^-bits, and what is left. For a mantissa below 1 it is log(2/r), since the exponent of x is one
    less there; `one` is the first part of log(2), so that it cancels."""
    high, low = [], []
    for i, (r, _, _) in enumerate(STEPS):
        value = -log(r) / base
        first = floor(value * 2**bits + mpf(1) / 2) / mpf(2) ** bits
        rest = value - first
        if i > 7:
            first, rest = first + one, rest + log(mpf(2)) / base - one
        high.append(first)
        low.append(rest)
    return high, low
