#!/usr/bin/env python3
"""Makes edges.npy and expected.npy of the scan kernel. Needs numpy."""

import pathlib

import numpy as np

HERE = pathlib.Path(__file__).parent
WIDTH, HEIGHT = 256, 96


def drawing():
    """Shapes in grey levels that are multiples of 1/256."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    picture = np.zeros((HEIGHT, WIDTH))
    # Rings that fade outwards, a wave, and a row of bars.
    distance = np.hypot(x - 60, y - 48)
    rings = (np.cos(distance * 0.7) > 0) & (distance < 44)
    picture[rings] = (1 - distance / 60)[rings]
    wave = np.abs(y - 48 - 26 * np.sin((x - 110) / 16)) < 7
    wave &= (x > 112) & (x < 200)
    picture[wave] = (0.35 + 0.6 * (x - 112) / 88)[wave]
    for n in range(5):
        picture[14 + 3 * n : 82 - 3 * n, 208 + 9 * n : 213 + 9 * n] = 1 - 0.15 * n
    return np.round(picture * 256) / 256


def main():
    picture = drawing()
    edges = np.diff(picture, axis=1, prepend=0).astype(np.float32)
    np.save(HERE / "edges.npy", edges)
    sums = np.cumsum(edges.astype(np.float64), axis=1)
    assert (sums == picture).all()
    np.save(HERE / "expected.npy", sums.astype(np.float32))


main()
