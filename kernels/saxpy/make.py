#!/usr/bin/env python3
"""Makes x.npy, y.npy and expected.npy of the saxpy kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
A = np.float32(2.7182817)


def main():
    random = np.random.default_rng(2006)
    # Magnitudes from 2^-20 to 2^20, so that the sums round in many ways.
    shape = (16, 64, 4)
    x, y = (
        (random.uniform(-1, 1, shape) * 2.0 ** random.integers(-20, 21, shape)).astype(np.float32)
        for _ in range(2)
    )
    np.save(HERE / "x.npy", x)
    np.save(HERE / "y.npy", y)
    product = A * x
    result = product + y
    assert product.dtype == result.dtype == np.float32
    np.save(HERE / "expected.npy", result)


main()
