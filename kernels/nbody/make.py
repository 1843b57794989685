#!/usr/bin/env python3
"""Inputs and expected results of the N-body kernel (numpy).

The expected results come from the same equations in binary64. How far binary32 may be from them
is measured here too: the steps are repeated in binary32 with the sums in other orders and every
1/sqrt moved by up to one ulp, and the job's tolerance must leave room for four times the worst.
"""
import tomllib
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
SIDE, N, STEPS = 16, 256, 10
DT, EPS = 0.015625, 0.125  # powers of two: the same number in both precisions


def start():
    """A turning disc with a heavy body in the middle."""
    rng = np.random.default_rng(8)
    radius = np.sqrt(rng.uniform(0.04, 1.0, N))
    angle = rng.uniform(0, 2 * np.pi, N)
    x = np.stack(
        [radius * np.cos(angle), radius * np.sin(angle), rng.normal(0, 0.05, N)], axis=1
    )
    mass = np.full(N, 1 / N)
    x[0], mass[0] = 0, 1
    inside = np.array([mass[np.hypot(*x[:, :2].T) < r].sum() for r in radius])
    speed = np.sqrt(inside * radius**2 / (radius**2 + EPS**2) ** 1.5)
    v = np.stack([-np.sin(angle) * speed, np.cos(angle) * speed, np.zeros(N)], axis=1)
    v[0] = 0
    bodies = np.concatenate([x, mass[:, None]], axis=1).astype(np.float32)
    velocities = np.concatenate([v, np.zeros((N, 1))], axis=1).astype(np.float32)
    return bodies, velocities


def run(bodies, velocities, kind, rng=None):
    x, m, v = bodies[:, :3].astype(kind), bodies[:, 3].astype(kind), velocities[:, :3].astype(kind)
    for _ in range(STEPS):
        order = np.arange(N) if rng is None else rng.permutation(N)
        away = x[None, order] - x[:, None]
        inverse = 1 / np.sqrt((away * away).sum(axis=2, dtype=kind) + kind(EPS * EPS))
        if rng is not None:
            ulp = rng.integers(-1, 2, inverse.shape).astype(np.int32)
            inverse = (inverse.view(np.int32) + ulp).view(np.float32)
        terms = away * (m[order] * inverse * (inverse * inverse))[..., None]
        pull = np.zeros_like(x)
        for k in range(N):  # one after the other, as the kernel does
            pull = pull + terms[:, k]
        v = v + kind(DT) * pull
        x = x + kind(DT) * v
    assert x.dtype == kind
    return x, v


bodies, velocities = start()
x, v = run(bodies, velocities, np.float64)
moved = np.concatenate([x, bodies[:, 3:]], axis=1)
sped = np.concatenate([v, velocities[:, 3:]], axis=1)
for name, array in [
    ("bodies", bodies),
    ("velocities", velocities),
    ("bodies_expected", moved),
    ("velocities_expected", sped),
]:
    np.save(HERE / f"{name}.npy", array.astype(np.float32).reshape(SIDE, SIDE, 4))

rng = np.random.default_rng(1)
trials = [run(bodies, velocities, np.float32, rng) for _ in range(20)]
worst = [max(abs(trial[n] - want).max() for trial in trials) for n, want in enumerate((x, v))]
moved_by = abs(x - bodies[:, :3]).max()
print(f"binary32 is off by up to {worst[0]:.2e} in positions, {worst[1]:.2e} in velocities;")
print(f"the bodies moved by up to {moved_by:.2f}")
job = HERE / "nbody.toml"
if job.exists():
    tolerances = [expect["atol"] for expect in tomllib.loads(job.read_text())["expect"]]
    assert all(4 * w < t < 16 * w for w, t in zip(worst, tolerances)), (worst, tolerances)
