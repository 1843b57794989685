#!/usr/bin/env python3
"""Makes signal.npy and expected.npy of the fft kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 256, 96


def signals():
    """A tone that rises from row to row, a weaker one that falls, and a low one that bends."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    turns = 2 * np.pi * x / WIDTH
    rising = np.exp(1j * turns * (16 + 2.25 * y))
    falling = 0.5 * np.exp(1j * turns * (230 - 1.5 * y))
    bending = 0.25 * np.exp(1j * turns * (128 + 60 * np.sin(y / 15)))
    return rising + falling + bending


def main():
    signal = signals().astype(np.complex64)
    np.save(HERE / "signal.npy", signal.view(np.float32).reshape(HEIGHT, WIDTH, 2))
    spectrum = np.fft.fft(signal.astype(np.complex128), axis=1).astype(np.complex64)
    np.save(HERE / "expected.npy", spectrum.view(np.float32).reshape(HEIGHT, WIDTH, 2))


main()
