"""Measures the package: `map` against the library's own batch in turn, `run_many`, `run`, and memory.

    cargo build --release -p ctm-python --example batch
    python bars.py --batch target/release/examples/batch
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

import numpy as np

import ctm

MIB = 1 << 20


def batch_program(number: int = 0) -> str:
    """The program of the library's batch: `bench::many::batch_source`."""
    lines = ["ld r1, i0[r0.rg]"]
    for n in range(16):
        constant = number >> (5 * n) & 31 if n < 4 else n
        lines.append(f"mad r1, r1, c{constant}, c{n}")
    return "\n".join(lines + ["mov o0, r1", ""])


def sweep(count: int) -> float:
    """Launches of 64 points per second, each with constants of its own."""
    program = ctm.Program(batch_program())
    random = np.random.default_rng(1)
    source = random.random((8, 8, 4)).astype("float32")
    constants = {f"c{n}": random.random((count, 4)).astype("float32") for n in range(16)}
    started = time.perf_counter()
    result = program.map((0, 0, 7, 7), inputs={0: source}, outputs={0: "FLOAT32_4"},
                         constants=constants, engine="block")
    seconds = time.perf_counter() - started
    assert result.outputs[0].shape == (count, 8, 8, 4) and not result.faults
    return count / seconds


def many(count: int) -> float:
    """Launches of 64 points per second, each with an input and a program of its own, made from 18 x 6 words."""
    words = []
    for number in range(count):
        # The text of an executable is its first segment.
        executable = ctm.assemble(batch_program(number).replace(" c", " r"))
        _, offset, _, _, size = np.frombuffer(executable, "<u4", 5, 52)
        words.append(np.frombuffer(executable, "<u4", size // 4, offset).reshape(18, 6))
    sources = np.random.default_rng(1).random((count, 8, 8, 4)).astype("float32")
    started = time.perf_counter()
    launches = ((ctm.Program.from_words(own), (0, 0, 7, 7), {0: source}, {0: "FLOAT32_4"}, {})
                for own, source in zip(words, sources))
    for result in ctm.run_many(launches, engine="block"):
        assert result.outputs[0].shape == (8, 8, 4) and not result.faults
    return count / (time.perf_counter() - started)


def one(count: int) -> float:
    """The median of microseconds of a run of 64 points."""
    program = ctm.Program("ld r1, i0[r0.rg]\nmad o0, r1, c0, c1\n")
    source = np.ones((1, 64, 4), "float32")
    times = []
    for _ in range(count):
        started = time.perf_counter()
        program.run((0, 0, 63, 0), inputs={0: source}, outputs={0: "FLOAT32_4"},
                    constants={"c0": (1, 2, 3, 4), "c1": 2}, engine="block")
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


MEMORY = """
import numpy as np, ctm
def peak():
    with open("/proc/self/status") as file:
        return next(1024 * int(line.split()[1]) for line in file if line.startswith("VmHWM"))
program = ctm.Program("ld r1, i0[r0.rg]\\nmov o0, r1")
def run(side):
    source = np.ones((side, side, 4), "float32")
    output = program.run((0, 0, side - 1, side - 1), inputs={0: source},
                         outputs={0: "FLOAT32_4"}, engine="block").outputs[0]
    assert output[-1, -1, 0] == 1 and output.shape == source.shape
    return source, output
run(8)
before = peak()
kept = run(4096)
print(peak() - before)
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=pathlib.Path)
    parser.add_argument("--turns", type=int, default=7)
    arguments = parser.parse_args()
    # Temporaries without a value.
    warnings.simplefilter("ignore", ctm.Warning)
    sweeps, batches, manys, singles = [], [], [], []
    for _ in range(arguments.turns):
        sweeps.append(sweep(100_000))
        if arguments.batch:
            ran = subprocess.run([arguments.batch], capture_output=True, text=True, check=True)
            batches.append(float(ran.stdout))
        manys.append(many(20_000))
        singles.append(one(5_000))
    print(f"map: median {statistics.median(sweeps):,.0f}, best {max(sweeps):,.0f} launches/s")
    if batches:
        ratios = [ours / own for ours, own in zip(sweeps, batches)]
        print(f"library: median {statistics.median(batches):,.0f}, best {max(batches):,.0f} launches/s")
        print(f"map / library: median {statistics.median(ratios):.2f}, best {max(ratios):.2f}")
    print(f"run_many: median {statistics.median(manys):,.0f}, best {max(manys):,.0f} launches/s")
    print(f"run: median {statistics.median(singles):.1f}, best {min(singles):.1f} us")
    peak = int(subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True).stdout)
    print(f"4096 x 4096: {peak / MIB:.1f} MiB over the process before")


if __name__ == "__main__":
    main()
