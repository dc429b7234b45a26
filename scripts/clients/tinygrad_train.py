"""Trains a small network and prints its losses, one a line. The device is what the environment says."""
from tinygrad import Tensor


def numbers(rows, columns, step, modulus):
    """Values from a formula instead of a generator, so that all devices see the very same ones."""
    return [[((i * step + j * 11) % modulus) / modulus - 0.5 for j in range(columns)] for i in range(rows)]


points = numbers(256, 8, 37, 101)
x = Tensor(points)
y = Tensor([[sum(v * (j + 1) for j, v in enumerate(p)) + abs(p[0])] for p in points])
parameters = [Tensor(numbers(rows, columns, 53, 89)) for rows, columns in [(8, 32), (1, 32), (32, 1), (1, 1)]]
for step in range(60):
    first, first_bias, second, second_bias = parameters
    loss = (((x @ first + first_bias).relu() @ second + second_bias - y) ** 2).mean()
    gradients = loss.gradient(*parameters)
    if step % 10 == 9:
        print(f"{loss.item():.6f}", flush=True)
    parameters = [(p - 0.02 * g).realize().detach() for p, g in zip(parameters, gradients)]
