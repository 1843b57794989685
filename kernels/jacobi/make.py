#!/usr/bin/env python3
"""Makes start.npy and expected.npy of the jacobi kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32
SIZE, STEPS = 160, 100


def flushed(x):
    """Denormal results become zeros of the same sign: heat that spreads thins out to them."""
    return np.where(np.abs(x) < F(2.0**-126), np.copysign(F(0), x), x)


def start():
    y, x = np.mgrid[0:SIZE, 0:SIZE]
    field = np.zeros((SIZE, SIZE), F)
    # A hot top edge, a left edge that is hot in stripes.
    field[0, :] = np.sin(np.linspace(0, np.pi, SIZE)).astype(F)
    field[:, 0] = (y[:, 0] // 20 % 2).astype(F)
    # Hot shapes inside, which are not held: a disc, a ring, a bar.
    distance = np.hypot(x - 105, y - 60)
    field[distance < 16] = 1
    distance = np.hypot(x - 60, y - 105)
    field[(distance > 22) & (distance < 34)] = 1
    field[110:145, 120:132] = 1
    return field


def step(field):
    left, right = field[1:-1, :-2], field[1:-1, 2:]
    above, below = field[:-2, 1:-1], field[2:, 1:-1]
    mean = flushed(F(0.25) * flushed(flushed(left + right) + flushed(above + below)))
    after = field.copy()
    after[1:-1, 1:-1] = mean
    assert after.dtype == F
    return after


def main():
    field = start()
    np.save(HERE / "start.npy", field)
    for _ in range(STEPS):
        field = step(field)
    np.save(HERE / "expected.npy", field)


main()
