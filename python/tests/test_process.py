"""What a process sees: signals, threads, forks, memory."""

import multiprocessing
import os
import resource
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import ctm

# A shell starts what runs in the background with SIGINT ignored, and Python then leaves it so.
PREPARE = """
import sys, os, signal, threading, time, numpy as np, ctm, tempfile, pathlib
signal.signal(signal.SIGINT, signal.default_int_handler)
endless = ctm.Program(".const spare c0\\ntop:\\n jump -> top\\n mov o0, r0")
common = dict(outputs={0: "FLOAT32_4"}, limit=2**62)
"""

WAYS = {
    "run": "endless.run((0, 0, 63, 63), **common)",
    "map": 'endless.map((0, 0, 7, 7), constants={"c0": np.zeros((9, 1))}, **common)',
    "run_many": "list(ctm.run_many([(endless, (0, 0, 7, 7), {}, {0: 'FLOAT32_4'}, {})] * 9, limit=2**62))",
    "job": "ctm.Job.read(path).run(limit=2**62)",
    "check": "ctm.check(endless, (0, 0, 7, 7), **common)",
    "device": "device.submit(words)",
    "look": "ctm._ctm.look([str(slow)] * 10**6)",
    "compile": "ctm.Program.compile(deep)",
    "load": 'ctm.Program(deep.encode(), kind="glsl")',
    "job with a shader": "ctm.Job.read(compiled)",
}

JOB = """
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "p.dpp").write_text("top:\\n jump -> top\\n mov o0, r0")
path = folder / "job.toml"
path.write_text('''version = 1
program = { file = "p.dpp" }
domain = { i0 = 0, j0 = 0, i1 = 63, j1 = 4000 }
output = [{ slot = 0, format = "FLOAT32_1" }]
''')
# The compiler takes long for it.
loops = "while (a < 9.0) " * 240
deep = "uniform float u; void main() { float a = u; " + loops + "a += 1.0; gl_FragColor = vec4(a); }"
(folder / "deep.frag").write_text(deep)
compiled = folder / "compiled.toml"
compiled.write_text(path.read_text().replace("p.dpp", "deep.frag"))
slow = folder / "slow.toml"
slow.write_text(path.read_text() + "# " + "x" * (16 << 20))
device = ctm.Device()
device.write(device.gpu, endless.elf())
words = [0xC0030C00, 0, device.gpu + 0x100000, 4 << 24 | 64, 4096,
         0xC0010A00, device.gpu, 0, 0xC0030700, 0, 0, 63, 4095, 0xC0000800, 0]
"""


@pytest.mark.parametrize("way", WAYS)
def test_ctrl_c_stops_what_runs(way):
    program = f"""{PREPARE}{JOB}
# By then the main thread is inside the call.
threading.Timer(0.3, lambda: print("go", flush=True)).start()
try:
    {WAYS[way]}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "go\n"
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "stopped\n"
        assert child.wait() == 0


@pytest.mark.parametrize("way", ["run", "compile", "job with a shader"])
def test_other_threads_run_meanwhile(way):
    program = f"""{PREPARE}{JOB}
threading.Thread(target=lambda: {WAYS[way]}, daemon=True).start()
time.sleep(0.2)
print("alive", flush=True)
os._exit(0)
"""
    output = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert output.stdout == "alive\n"


def sweep(scale):
    program = ctm.Program("mul o0, r0, c0")
    constants = {"c0": np.full((3000, 1), scale)}
    return program.map((0, 0, 7, 7), outputs={0: "FLOAT32_1"}, constants=constants).outputs[0].sum()


def test_a_fork_has_threads_of_its_own():
    expected = sweep(2)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        assert pool.map(sweep, [2, 4]) == [expected, 2 * expected]


def threads():
    return len(os.listdir("/proc/self/task"))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs Linux's /proc")
def test_100_000_runs_leak_nothing():
    program = ctm.Program("ld r1, i0[r0.rg]\nmul o0, r1, c0")
    source = np.ones((8, 8, 4), "float32")

    def run(count):
        for n in range(count):
            program.run((0, 0, 7, 7), inputs={0: source}, outputs={0: "FLOAT32_4"}, constants={"c0": n})

    run(5_000)
    before = threads(), resident()
    run(100_000)
    assert threads() == before[0]
    # Less than 32 bytes a run.
    assert resident() - before[1] < 100_000 * 32


def test_threads_may_run_one_program():
    program = ctm.Program("mul o0, r0, c0")
    failed = []

    def work(scale):
        for _ in range(200):
            output = program.run((0, 0, 7, 7), outputs={0: "FLOAT32_1"}, constants={"c0": scale}).outputs[0]
            if output[0, 7] != 7 * scale:
                failed.append(scale)

    workers = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed


PANIC = """
import pathlib, tempfile, numpy as np, ctm
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "odd.dpp").write_text("mul o0, r0, c0")
path = folder / "odd.toml"
path.write_text('''version = 1
program = { file = "odd.dpp" }
domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }
constants = { float = { 0 = [1, 1, 1, 1] } }
output = [{ slot = 0, format = "FLOAT32_4" }]
''')
program = ctm.Program("mul o0, r0, c0", name="odd.dpp")
good = ctm.Program("mul o0, r0, c0", name="even.dpp")
constants = {"c0": np.ones((50, 1), "float32")}
common = dict(outputs={0: "FLOAT32_4"}, engine="block")
"""


@pytest.mark.parametrize(
    "asked, call",
    [
        ("read=odd.toml", "ctm.Job.read(path)"),
        ("run=odd.toml", "ctm.Job.read(path).run()"),
        ("check=odd.toml", "ctm.check(path)"),
        ("launch=odd.dpp", "program.run((0, 0, 7, 7), constants={'c0': 1}, **common)"),
        ("launch=odd.dpp", "program.map((0, 0, 7, 7), constants=constants, **common)"),
        ("launch=odd.dpp", "ctm.check(program, (0, 0, 7, 7), outputs={0: 'FLOAT32_4'})"),
    ],
)
def test_a_panic_is_an_error(asked, call):
    text = f"""{PANIC}
try:
    {call}
except ctm.Error as error:
    print(error)
good.map((0, 0, 7, 7), constants=constants, **common)
print("alive")
"""
    ran = subprocess.run(
        [sys.executable, "-c", text], capture_output=True, text=True, env={**os.environ, "CTM_PANIC": asked}
    )
    assert ran.stderr == ""
    said, alive = ran.stdout.splitlines()
    assert "internal error: CTM_PANIC: " in said and said.endswith("this is a mistake of ctm")
    assert alive == "alive"
