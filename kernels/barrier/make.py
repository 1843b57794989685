#!/usr/bin/env python3
"""Makes before.npy and expected.npy of the barrier kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent

before = np.random.default_rng(7).random((8, 128, 4)).astype(np.float32)
before[..., 3] = 1
np.save(HERE / "before.npy", before)
np.save(HERE / "expected.npy", np.roll(before, 64, axis=1))
