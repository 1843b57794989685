"""`ctm.ray` on a local cluster of three nodes, of which one is killed, with a driver that is killed."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest

import ctm

ray = pytest.importorskip("ray")
import ctm.ray  # noqa: E402

JOBS = int(os.environ.get("CTM_RAY_JOBS", "20000"))


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    memory = {"object_store_memory": 100 << 20}
    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, **memory}
    )
    cluster.others = [cluster.add_node(num_cpus=1, **memory) for _ in range(2)]
    ray.init(address=cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "p.dpp").write_text("mul r1, r0, c0\nadd o0, r1, c0\n")
    (folder / "endless.dpp").write_text("top:\n jump -> top\n mul o0, r0, c0\n")
    names = []
    for n in range(JOBS):
        program = "endless" if n % 1000 == 17 else "p"
        path = folder / f"{n}.toml"
        path.write_text(
            f"""version = 1
program = {{ file = "{program}.dpp" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}
limits = {{ instructions = 1000 }}
constants = {{ float = {{ 0 = [{n}, 1, 0, 0] }} }}
output = [{{ slot = 0, format = "FLOAT32_4" }}]
"""
            if n % 1000 != 33
            else "version = 2\n"
        )
        names.append(str(path))
    return names


DRIVER = """
import sys, json, ray, ctm.ray
address, jobs, out = sys.argv[1:]
ray.init(address=address, log_to_driver=False)
ctm.ray.batch(json.load(open(jobs)), out=out, engine="block")
"""


def test_a_batch_survives_its_driver_and_a_node(cluster, jobs, tmp_path):
    listed = tmp_path / "jobs.json"
    listed.write_text(json.dumps(jobs))
    out = tmp_path / "out"
    command = [sys.executable, "-c", DRIVER, cluster.address, str(listed), str(out)]
    with subprocess.Popen(command) as driver:
        while len(list(out.glob("shards/*.json"))) < 3 and driver.poll() is None:
            time.sleep(0.01)
        driver.kill()
    # A file that is written again is another one.
    kept = {path: path.stat().st_ino for path in out.glob("shards/*.json")}
    assert len(kept) >= 3 and not (out / "table.jsonl").exists()
    killed = []

    def kill(done, total):
        if not killed and done > total // 2:
            killed.append(done)
            cluster.remove_node(cluster.others.pop(), allow_graceful=False)

    table = ctm.ray.batch(jobs, out=out, engine="block", progress=kill)
    assert killed and table.path == out / "table.jsonl"
    assert kept == {path: path.stat().st_ino for path in kept}
    expected = "".join(json.dumps(ctm.ray.row(job, engine="block")) + "\n" for job in jobs)
    assert table.path.read_text() == expected
    assert sum(node["jobs"] for node in table.nodes.values()) == len(jobs)
    assert len(table.nodes) >= 2
    statuses = [json.loads(line)["status"] for line in expected.splitlines()]
    assert statuses.count("fault") == sum(n % 1000 == 17 for n in range(JOBS))
    assert statuses.count("error") == sum(n % 1000 == 33 for n in range(JOBS))
    assert table.counts == {status: statuses.count(status) for status in ("ok", "fault", "error")}
    # A third call runs nothing.
    again = ctm.ray.batch(jobs, out=out, engine="block", in_flight=1,
                          progress=lambda done, total: pytest.fail("it ran something"))
    assert again.path.read_text() == expected and again.nodes == table.nodes


def test_failed_jobs_are_counted_and_run_again(cluster, jobs, tmp_path, monkeypatch):
    names = ["ok.toml", "endless.toml", "none.toml"]
    (tmp_path / "jobs").mkdir()
    for name, program in zip(names[:2], ("p", "endless")):
        shutil.copy(os.path.join(os.path.dirname(jobs[0]), f"{program}.dpp"), tmp_path / "jobs")
        text = pathlib.Path(jobs[0]).read_text().replace("p.dpp", f"{program}.dpp")
        (tmp_path / "jobs" / name).write_text(text)
    # The folder of the caller is not that of the workers.
    monkeypatch.chdir(tmp_path)
    marker, ran = str(tmp_path / "marker"), str(tmp_path / "ran")

    def value(result):
        with open(ran, "a") as file:
            file.write("x")
        if not os.path.exists(marker):
            raise ctm.Error("no marker")
        return 1

    def batch(**named):
        listed = [f"jobs/{name}" for name in names]
        table = ctm.ray.batch(listed, out="out", value=value, engine="block", **named)
        rows = [json.loads(line) for line in table.path.read_text().splitlines()]
        assert table.path == tmp_path / "out/table.jsonl"
        assert [row["job"] for row in rows] == listed
        return table.counts, os.path.getsize(ran), rows[0]

    first = batch()
    assert first[:2] == ({"ok": 0, "fault": 0, "error": 3}, 2) and first[2]["error"] == "no marker"
    pathlib.Path(marker).touch()
    # What failed stays so until it is asked for.
    assert batch() == first
    counts, runs, row = batch(retry_failed=True)
    assert (counts, runs, row["value"]) == ({"ok": 1, "fault": 1, "error": 1}, 4, 1)
    # What succeeded does not run again.
    assert batch(retry_failed=True) == (counts, 5, row)
    assert batch() == (counts, 5, row)


def test_a_pack_gives_what_its_job_files_give(cluster, jobs, tmp_path):
    # With a job that ends with a fault; one that cannot be read is in no pack.
    some = jobs[:32]
    pack = tmp_path / "some.pack"
    ctm.pack(some, pack)
    files = ctm.ray.batch(some + [jobs[40]], out=tmp_path / "files", engine="block")
    packed = ctm.ray.batch([pack, jobs[40]], out=tmp_path / "packed", engine="block")
    assert files.counts == packed.counts == {"ok": 32, "fault": 1, "error": 0}
    assert files.path.read_text() == packed.path.read_text()
    again = ctm.ray.batch([pack, jobs[40]], out=tmp_path / "packed", engine="block",
                          progress=lambda done, total: pytest.fail("it ran something"))
    assert again.counts == packed.counts
    pack.write_bytes(pack.read_bytes()[:-1])
    with pytest.raises(ctm.Error, match="the foot does not have its checksum"):
        ctm.ray.batch([pack], out=tmp_path / "damaged", engine="block")


def test_a_panic_is_the_error_of_its_job(jobs):
    text = """
import json, sys, ctm.ray
print(json.dumps([ctm.ray.row(job, engine="block") for job in sys.argv[1:]]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", text, *jobs[:3]],
        capture_output=True, text=True, env={**os.environ, "CTM_PANIC": "run=/1.toml"},
    )
    rows = json.loads(ran.stdout)
    assert [row["status"] for row in rows] == ["ok", "error", "ok"]
    assert "internal error: CTM_PANIC: run of " in rows[1]["error"]


def test_a_function_adds_a_value(cluster, jobs, tmp_path):
    def first(result):
        return float(result.outputs[0][1, 2, 0])

    table = ctm.ray.batch(jobs[:3], out=tmp_path, value=first)
    rows = [json.loads(line) for line in table.path.read_text().splitlines()]
    assert [line["value"] for line in rows] == [0, 3, 6]
    pyarrow = pytest.importorskip("pyarrow.parquet")
    assert pyarrow.read_table(table.parquet)["job"].to_pylist() == jobs[:3]


def test_a_map_gives_what_one_process_gives(cluster):
    program = ctm.Program("ld r1, i0[r0.rg]\nmad o0, r1, c0, c1")
    named = {
        "inputs": {0: np.arange(256, dtype="float32").reshape(8, 8, 4)},
        "outputs": {0: "FLOAT32_4"},
        "constants": {"c0": np.arange(10_000).reshape(-1, 1), "c1": 3.0},
        "engine": "block",
        "stats": True,
    }
    seen = []
    result = ctm.ray.map(program, (0, 0, 7, 7), progress=lambda *at: seen.append(at), **named)
    own = program.map((0, 0, 7, 7), **named)
    assert result.outputs[0].tobytes() == own.outputs[0].tobytes()
    assert result.faults == own.faults == [] and seen[-1] == (10_000, 10_000)
    assert result.statistics == own.statistics and own.statistics["points"] == 640_000
    endless = ctm.Program("top:\n if b0\n  jump -> top\n endif\n mov o0, r0")
    flags = np.arange(9000) % 1000 == 7
    named = {"outputs": {0: "FLOAT32_1"}, "constants": {"b0": flags}, "limit": 50}
    result = ctm.ray.map(endless, (0, 0, 0, 0), **named)
    assert result.statistics is None
    assert result.faults == endless.map((0, 0, 0, 0), **named).faults
    assert [fault.launch for fault in result.faults] == list(range(7, 9000, 1000))
    scaled = ctm.Program("mad o0, r0, c0, c1")
    outputs, two = {0: "FLOAT32_4"}, [[1], [2]]
    for key, domain, constants in (
        (None, (0, 0, 7, 7), {"c0": 1}),
        ("domain", (0, 0, 7), {"c0": two}),
        ("constants.c0", (0, 0, 7, 7), {"c0": [[1], [2, 3]]}),
        ("constants.c0", (0, 0, 7, 7), {"c0": None}),
        ("constants.c1", (0, 0, 7, 7), {"c0": two, "c1": [[1]]}),
    ):
        with pytest.raises(ctm.Error) as error:
            ctm.ray.map(scaled, domain, outputs=outputs, constants=constants)
        assert error.value.key == key
