#!/usr/bin/env python3
"""Makes the arrays of the reduce kernel, for 4096 x 4096 and 256 x 256 numbers. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32
SIMDS = 2


def frc(x):
    return x - np.floor(x)


def numbers(size):
    """What numbers.dpp makes, one rounding for each of its operations."""
    y, x = np.mgrid[0:size, 0:size].astype(F)
    lattice = frc(y * F(0.5698403) + x * F(0.7548777))
    made = F(1) - F(2) * frc(lattice * F(391.25))
    assert made.dtype == F
    return made


def tiles(field):
    """The groups in their order: 64 lanes each."""
    size = field.shape[0]
    cut = field.reshape(size // 8, 8, size // 8, 8).swapaxes(1, 2)
    return cut.reshape(-1, 64)


def start():
    """The sum 0, the maximum -1000, the minimum 1000, in each lane."""
    registers = np.zeros((SIMDS, 1, 64, 4), F)
    registers[..., 1] = -1000
    registers[..., 2] = 1000
    return registers


def reduced(field):
    """What the launch leaves in each lane: a SIMD takes every second group, in order."""
    registers = start()
    for simd in range(SIMDS):
        own = registers[simd, 0]
        for group in tiles(field)[simd::SIMDS]:
            own[:, 0] = own[:, 0] + group
        own[:, 1] = tiles(field)[simd::SIMDS].max(0)
        own[:, 2] = tiles(field)[simd::SIMDS].min(0)
    return registers


def combined(registers):
    """The lanes as two tiles beside each other, row by row and then down a column."""
    lanes = registers[:, 0].reshape(SIMDS, 8, 8, 4).swapaxes(0, 1).reshape(8, 8 * SIMDS, 4)
    rows = lanes[:, 0, 0]
    for column in range(1, 8 * SIMDS):
        rows = rows + lanes[:, column, 0]
    total = rows[0]
    for row in rows[1:]:
        total = total + row
    return np.array([[[total, lanes[..., 1].max(), lanes[..., 2].min(), 0]]], F)


def passes(field):
    """Sums of blocks of 4 x 4, in the order of the kernel, until one is left."""
    sums = field
    while sums.shape[0] > 1:
        size = sums.shape[0] // 4
        blocks = sums.reshape(size, 4, size, 4).swapaxes(1, 2).reshape(size, size, 16)
        sums = np.zeros((size, size), F)
        for n in range(16):
            sums = sums + blocks[..., n]
    return np.array([[[sums[0, 0], field.max(), field.min(), 0]]], F)


np.save(HERE / "start.npy", start())
for size in (4096, 256):
    field = numbers(size)
    registers = reduced(field)
    result, by_passes = combined(registers), passes(field)
    exact = field.astype(np.float64).sum()
    # The order is ours, the value everybody's; orders differ in the last places.
    assert abs(result[0, 0, 0] - exact) < 1e-3 * size, (result, exact)
    assert abs(by_passes[0, 0, 0] - exact) < 1e-3 * size, (by_passes, exact)
    np.save(HERE / f"shared_{size}.npy", registers)
    np.save(HERE / f"result_{size}.npy", result)
    np.save(HERE / f"passes_{size}.npy", by_passes)
    print(size, exact, result[0, 0], by_passes[0, 0])
