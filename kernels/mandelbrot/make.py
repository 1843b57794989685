#!/usr/bin/env python3
"""Makes expected.npy of the mandelbrot kernel, and expected_96.npy and colours_96.npy of the small
one. Needs numpy.

Counts are equal to the bit: each operation of the kernel is one rounded binary32 operation here.
Colours are computed in binary64 from the kernel's last |z|^2."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
F = np.float32


def flushed(x):
    """Denormal results become zeros of the same sign."""
    return np.where(np.abs(x) < F(2.0**-126), np.copysign(F(0), x), x)


def mandelbrot(width, height, left, top, step, limit):
    """Steps and the last |z|^2 of each point."""
    j, i = np.mgrid[0:height, 0:width].astype(F)
    cx = flushed(flushed(i * F(step)) + F(left))
    cy = flushed(flushed(j * F(step)) + F(top))
    x, y, steps, last = (np.zeros_like(cx) for _ in range(4))
    inside = np.ones(cx.shape, bool)
    for _ in range(limit):
        xx, yy, xy = flushed(x * x), flushed(y * y), flushed(x * y)
        # New z, computed before the test as in the kernel; it no longer matters after a break.
        nx = flushed(flushed(xx - yy) + cx)
        ny = flushed(flushed(F(2) * xy) + cy)
        size = flushed(xx + yy)
        steps[inside] += 1
        last[inside] = size[inside]
        inside &= ~(size >= 256)
        x, y = np.where(inside, nx, x), np.where(inside, ny, y)
        assert x.dtype == F and size.dtype == F
    return steps.astype(np.uint16), last


def colours(steps, last):
    last = last.astype(np.float64)
    gone = last >= 256
    smooth = steps - np.log2(np.log2(np.where(gone, last, 256)) / 8)
    phases = np.array([0.42, 0.52, 0.62])
    colour = 0.5 + 0.5 * np.cos(2 * np.pi * (smooth[..., None] * 0.04 + phases))
    colour = np.where(gone[..., None], colour, 0)
    alpha = np.ones(steps.shape + (1,))
    return np.concatenate([colour, alpha], axis=2).astype(F)


def main():
    steps, _ = mandelbrot(512, 384, -2.3, -1.152, 0.006, 128)
    np.save(HERE / "expected.npy", steps)
    steps, last = mandelbrot(96, 72, -2.3, -1.152, 0.032, 255)
    np.save(HERE / "expected_96.npy", steps)
    np.save(HERE / "colours_96.npy", colours(steps, last))


main()
