#!/usr/bin/env python3
"""Makes source.npy and bytes.npy of the copy kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 96, 72


def source():
    """A picture with rows of bit patterns that arithmetic would change."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(np.float32)
    rings = np.float32(0.5) + np.float32(0.5) * np.cos(np.hypot(x - 48, y - 36) / np.float32(3))
    data = np.stack([x / WIDTH, y / HEIGHT, rings, np.ones_like(x)], axis=2).astype(np.float32)
    bits = data.view(np.uint32)
    patterns = np.array(
        [
            0x7FC00001,  # quiet NaN with a payload
            0x7F800001,  # signalling NaN
            0xFFFFFFFF,  # negative NaN, all ones
            0x00000001,  # smallest denormal
            0x807FFFFF,  # largest denormal, negative
            0x80000000,  # -0
            0x7F800000,  # infinity
            0xFF800000,  # -infinity
        ],
        dtype=np.uint32,
    )
    for n, pattern in enumerate(patterns):
        bits[HEIGHT - 8 + n, :, n % 4] = pattern
    return data


def tiled_address(x, y, pitch):
    """Byte address of a 16-byte element in tiles of 16 x 8, as the CTM Guide's page 6 has it."""
    bit = lambda value, n: value >> n & 1
    tile = (y >> 3) * (pitch >> 4) + (x >> 4)
    return (
        tile << 11
        | (bit(y, 2) ^ bit(x, 4)) << 10
        | (bit(x, 3) ^ bit(y, 3)) << 9
        | (bit(y, 1) ^ bit(x, 3)) << 8
        | (bit(x, 2) ^ bit(y, 2)) << 7
        | bit(y, 0) << 6
        | bit(x, 1) << 5
        | bit(x, 0) << 4
    )


def main():
    data = source()
    # Moved as integers: a float copy might change a signalling NaN.
    bits = data.view(np.uint32)
    memory = np.zeros_like(bits).reshape(-1, 4)
    for y in range(HEIGHT):
        for x in range(WIDTH):
            memory[tiled_address(x, y, WIDTH) // 16] = bits[y, x]
    np.save(HERE / "source.npy", data)
    np.save(HERE / "bytes.npy", memory.reshape(HEIGHT, WIDTH, 4).view(np.float32))


main()
