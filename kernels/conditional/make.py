#!/usr/bin/env python3
"""Inputs and expected results of the two jobs with a conditional buffer (numpy).

Everything is computed in binary32 with one rounding an operation, in the kernels' order; the tests
against the conditional buffer are comparisons of whole arrays.
"""
import tomllib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
F = np.float32


def save(name, array):
    np.save(HERE / f"{name}.npy", array)


# --- conditional_dpp: the scene is the one of the job file.
scene = tomllib.loads((HERE / "conditional_dpp.toml").read_text())
targets = {buffer["name"]: buffer for buffer in scene["buffer"]}
size = (targets["picture"]["height"], targets["picture"]["width"])
picture = np.broadcast_to(np.array(targets["picture"]["fill"], F), (*size, 4)).copy()
depth = np.full(size, targets["depth"]["fill"][0], F)
hidden = []
for bump in scene["pass"]:
    c = [np.array(bump["constants"]["float"][n], F) for n in "012"]
    box = bump["domain"]
    j, i = np.mgrid[box["j0"] : box["j1"] + 1, box["i0"] : box["i1"] + 1]
    dx = (i.astype(F) - c[0][0]) * c[0][2]
    dy = (j.astype(F) - c[0][1]) * c[0][2]
    height = F(1) - (dx * dx + dy * dy)
    z = c[1][0] - c[1][1] * height
    light = np.clip((height + F(0.5)) / F(2) - (dx + dy) / F(4), F(0), F(1))
    seen = (height >= 0) & (z < depth[j, i])
    hidden.append(int(((height >= 0) & ~seen).sum()))
    rgba = np.concatenate([c[2][:3] * light[..., None], np.full((*z.shape, 1), c[2][3])], axis=-1)
    picture[j, i] = np.where(seen[..., None], rgba, picture[j, i])
    depth[j, i] = np.where(seen, z, depth[j, i])
assert picture.dtype == F and depth.dtype == F
assert [n > 0 for n in hidden] == [False, True, False, True], hidden
save("picture_expected", picture)
save("depth_expected", depth)

# --- conditional_pe: a bean-shaped pond with a warm and a cold shore and two stones in it.
W, H, STEPS, AMBIENT = 80, 64, 60, F(0.125)
y, x = np.mgrid[0:H, 0:W].astype(np.int64)
bean = (4 * (x - 40) ** 2 + 9 * (y - 30) ** 2 < 4 * 34**2) & ((x - 40) ** 2 + (y - 2) ** 2 > 15**2)
warm = (x - 22) ** 2 + (y - 36) ** 2 < 6**2
cold = (abs(x - 60) < 5) & (abs(y - 30) < 7)
held = ~bean | warm | cold
known = (x * 7 + y * 3) % 5 == 0
mask = np.where(held, 2 + 13106 * (x % 6), np.where(known, 1, 0)).astype(np.uint16)
heat = np.where(warm, F(1), np.where(cold, F(0), np.where(x < 40, F(0.75), F(0.25))))
heat = np.where(mask == 1, F(0.5), heat).astype(F)
save("mask", mask)
save("heat", heat)

heat = np.where(mask < 1, AMBIENT, heat)
mask = np.maximum(mask, 1).astype(np.uint16)
for _ in range(STEPS):
    edge = np.pad(heat, 1, mode="edge")
    columns = edge[1:-1, :-2] + edge[1:-1, 2:]
    rows = edge[:-2, 1:-1] + edge[2:, 1:-1]
    heat = np.where(mask == 1, (columns + rows) / F(4), heat)
assert heat.dtype == F
save("heat_expected", heat)
save("mask_expected", mask)
