#!/usr/bin/env python3
"""Makes the arrays of the histogram kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32
SIMDS, BINS = 4, 16

# Numbers that pile up at one end; multiples of 1/4096, so that times 16 is exact.
random = np.random.default_rng(19)
numbers = (np.floor(random.random((144, 192)) ** 2 * 4096) / 4096).astype(F)
assert numbers.max() < 1

bins = np.floor(numbers * BINS).astype(int)
groups = bins.reshape(18, 8, 24, 8).swapaxes(1, 2).reshape(-1, 64)
registers = np.zeros((SIMDS, BINS, 64, 4), F)
for n, group in enumerate(groups):
    for lane, bin_ in enumerate(group):
        registers[n % SIMDS, bin_, lane, 0] += 1

expected = np.histogram(numbers, BINS, (0, 1))[0].astype(F).reshape(1, 4, 4)
assert (registers[..., 0].sum((0, 2)) == expected.ravel()).all()
np.save(HERE / "numbers.npy", numbers)
np.save(HERE / "shared.npy", registers)
np.save(HERE / "expected.npy", expected)
