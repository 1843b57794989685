#!/usr/bin/env python3
"""Makes expected.npy of the matmul kernel, and expected_64.npy, a_64.npy, b_64.npy of the small
one. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32


def frc(x):
    return x - np.floor(x)


def matrices(size):
    """What generate.dpp makes, one rounding for each of its operations."""
    y, x = np.mgrid[0:size, 0:size].astype(F)
    lattice = frc(y * F(0.5698403) + x * F(0.7548777))
    a = F(1) - F(2) * frc(lattice * F(391.25))
    b = F(1) - F(2) * frc(lattice * F(517.75))
    assert a.dtype == b.dtype == F
    return a, b


def product(a, b):
    """Sums in the order of the kernel: k from 0 upwards, product and sum each rounded."""
    c = np.zeros_like(a)
    for k in range(a.shape[0]):
        c = c + a[:, k, None] * b[None, k, :]
    assert c.dtype == F
    # The order is ours, the value everybody's.
    exact = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(c - exact).max() < 1e-4
    return c


def packed(matrix):
    """Four columns to an element."""
    return matrix.reshape(matrix.shape[0], -1, 4)


def main():
    a, b = matrices(512)
    np.save(HERE / "expected.npy", packed(product(a, b)))
    a, b = matrices(64)
    np.save(HERE / "a_64.npy", packed(a))
    np.save(HERE / "b_64.npy", packed(b))
    np.save(HERE / "expected_64.npy", packed(product(a, b)))


main()
