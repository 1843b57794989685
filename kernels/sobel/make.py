#!/usr/bin/env python3
"""Input and expected results of the Sobel kernel (numpy).

Draws a test picture, then computes the gradient in binary32, one rounding an operation in the
kernel's order, and its length in binary64.
"""
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
W, H = 192, 144
F = np.float32


def draw():
    """Shapes in whole numbers only, so that every machine draws the same ones."""
    y, x = np.mgrid[0:H, 0:W].astype(np.int64)
    grain = (x * 7919 + y * 104729 + x * y * 31) % 251
    value = 12000 + 60 * x + 40 * y + 4 * grain  # a soft slope, not quite smooth
    disc = (x - 52) ** 2 + (y - 50) ** 2
    value = np.where(disc < 38**2, 52000 - 12 * disc, value)  # a ball
    value = np.where((disc < 38**2) & ((x // 8 + y // 8) % 2 == 0), value - 14000, value)
    u, v = 3 * (x - 136) + 2 * (y - 48), -2 * (x - 136) + 3 * (y - 48)
    value = np.where((abs(u) < 110) & (abs(v) < 110), 46000, value)  # a turned square
    value = np.where((abs(u) < 55) & (abs(v) < 55), 9000, value)
    ring = (x - 64) ** 2 + (y - 112) ** 2
    value = np.where((ring // 120) % 3 == 0, np.where(ring < 26**2, 60000, value), value)
    triangle = (y > 88) & (y < 136) & (abs(x - 140) * 2 < y - 88)
    value = np.where(triangle, 58000, value)
    return np.clip(value, 0, 65535).astype(np.uint16)


picture = draw()
np.save(HERE / "picture.npy", picture)

# A 16-bit element reads as v / 65535, correctly rounded; beyond the edge as the texel at it.
texels = np.pad((picture / 65535.0).astype(F), 1, mode="edge")
n, w, e, s = texels[:-2, 1:-1], texels[1:-1, :-2], texels[1:-1, 2:], texels[2:, 1:-1]
nw, ne, sw, se = texels[:-2, :-2], texels[:-2, 2:], texels[2:, :-2], texels[2:, 2:]

both = se - nw
gx = ((e - w) * F(2) + (ne - sw)) + both
gy = ((s - n) * F(2) + (sw - ne)) + both
assert gx.dtype == np.float32
assert ((gx == 0) & (gy == 0)).any(), "flat places are part of the test"
np.save(HERE / "gradient_expected.npy", np.stack([gx, gy], axis=-1))

length = np.hypot(gx.astype(np.float64), gy.astype(np.float64)) / 2
np.save(HERE / "edges_expected.npy", length.astype(F))
