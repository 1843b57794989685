#!/usr/bin/env python3
"""Makes numbers.npy, global.npy and clause.npy of the conflicts kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32


def tiles(field):
    return field.reshape(8, 8, 8, 8).swapaxes(1, 2).reshape(64, 64)


def field(groups):
    return groups.reshape(8, 8, 8, 8).swapaxes(1, 2).reshape(64, 64)


# Whole numbers: sums are exact.
numbers = np.random.default_rng(3).integers(0, 100, (64, 64)).astype(F)
np.save(HERE / "numbers.npy", numbers)

# The groups of a pair step in turn: both have added when the even one reads its sum again.
pairs = tiles(numbers).reshape(32, 2, 64).sum(1).cumsum(0)
np.save(HERE / "global.npy", field(np.repeat(pairs, 2, axis=0)).astype(F))

# The even and the odd groups each have a sum.
own = tiles(numbers).reshape(32, 2, 64).cumsum(0)
np.save(HERE / "clause.npy", field(own.reshape(64, 64)).astype(F))
