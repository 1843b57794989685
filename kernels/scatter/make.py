#!/usr/bin/env python3
"""Inputs and expected results of the scatter kernel (numpy).

The permutation is made with integers: reversing the digits of a number's binary text.
"""
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIZE = 64
BITS = 12

numbers = np.arange(SIZE * SIZE)
reversed_ = np.array([int(f"{n:0{BITS}b}"[::-1], 2) for n in numbers])


def permute(values):
    out = np.empty_like(values)
    out[reversed_] = values
    return out.reshape(SIZE, SIZE)


# A ramp: permuted, it is the van der Corput sequence, and its picture shows the pattern.
ramp = (numbers / len(numbers)).astype(np.float32)
np.save(HERE / "ramp.npy", ramp.reshape(SIZE, SIZE))
np.save(HERE / "ramp_expected.npy", permute(ramp))

# Every kind of bit pattern: denormals, infinities, NaNs with payloads.
bits = np.random.default_rng(6).integers(0, 1 << 32, SIZE * SIZE, dtype=np.uint32)
bits[::7] &= 0x807FFFFF
bits[3::7] |= 0x7F800000
bits = bits.view(np.float32)
np.save(HERE / "bits.npy", bits.reshape(SIZE, SIZE))
np.save(HERE / "bits_expected.npy", permute(bits))
