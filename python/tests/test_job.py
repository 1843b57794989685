"""Jobs, devices, checks."""

import os
import pathlib
import pickle
import shutil

import numpy as np
import pytest

import ctm

KERNELS = pathlib.Path(os.environ["CTM_ROOT"]) / "kernels"


@pytest.mark.parametrize("name", ["saxpy", "sobel", "conditional", "jacobi"])
def test_kernels_give_what_they_expect(name):
    paths = [path for path in (KERNELS / name).glob("*.toml") if path.stat().st_size < 1 << 16]
    assert paths
    for path in paths:
        job = ctm.Job.read(path)
        copy = pickle.loads(pickle.dumps(job))
        assert (copy.digest, copy.path, copy.about) == (job.digest, str(path), job.about)
        results = [job.run(stats=True), copy.run(stats=True)]
        for one in results:
            assert one.faults == [] and one.launches == job.launches
            for key, output in one.outputs.items():
                assert output.tobytes() == results[0].outputs[key].tobytes()
        assert results[0].statistics == results[1].statistics


def test_saxpy_has_the_expected_bits():
    output = ctm.Job.read(KERNELS / "saxpy/saxpy.toml").run().outputs[0]
    assert output.tobytes() == np.load(KERNELS / "saxpy/expected.npy").tobytes()


def test_a_job_needs_its_files_only_once(tmp_path):
    folder = tmp_path / "saxpy"
    shutil.copytree(KERNELS / "saxpy", folder)
    before = sorted(folder.iterdir())
    job = ctm.Job.read(str(folder / "saxpy.toml"))
    digest = ctm.Job.read(KERNELS / "saxpy/saxpy.toml").digest
    assert job.digest == digest
    pickled = pickle.dumps(job)
    expected = job.run().outputs[0]
    # It writes nothing.
    assert sorted(folder.iterdir()) == before
    shutil.rmtree(folder)
    assert (pickle.loads(pickled).run().outputs[0] == expected).all()
    with pytest.raises(ctm.Error) as error:
        ctm.Job.read(folder / "saxpy.toml")
    assert str(error.value).startswith(f"{folder}/saxpy.toml: cannot read ")


def test_a_pack_has_the_jobs_of_its_files(tmp_path):
    pack = tmp_path / "jobs.pack"
    paths = [KERNELS / "saxpy/saxpy.toml", KERNELS / "sobel/sobel.toml"]
    ctm.pack(paths, pack)
    found = ctm._ctm.look([pack, *paths])
    names = [str(path) for path in paths]
    assert [one[:2] for one in found] == [(name, str(pack)) for name in names] + [
        (name, name) for name in names
    ]
    assert [one[3:] for one in found[:2]] == [one[3:] for one in found[2:]]
    for (name, _, record, digest, _), path in zip(found, paths):
        job = ctm.Job.read(pack, record)
        for packed in (job, pickle.loads(pickle.dumps(job))):
            assert (packed.path, packed.digest) == (name, digest)
            expected = ctm.Job.read(path).run().outputs
            assert [(key, array.tobytes()) for key, array in packed.run().outputs.items()] == [
                (key, array.tobytes()) for key, array in expected.items()
            ]
    with pytest.raises(ctm.Error, match="record"):
        ctm.Job.read(pack, 1000)
    bad = tmp_path / "bad.toml"
    bad.write_text("version = 2\n")
    before = pack.read_bytes()
    with pytest.raises(ctm.Error, match="version"):
        ctm.pack([*paths, bad], pack)
    assert pack.read_bytes() == before


def test_outputs_of_all_layouts(tmp_path):
    (tmp_path / "p.dpp").write_text("mul o0, r0, 0.0625\nmul o1, r0, 0.0625\n")
    path = tmp_path / "job.toml"
    for format, tiling in [("FLOAT32_2", "LINEAR"), ("UINT8_4", "LINEAR"), ("UINT16_1", "TILED")]:
        path.write_text(
            f"""version = 1
[[buffer]]
name = "one"
format = "{format}"
tiling = "{tiling}"
width = 13
height = 9
[[buffer]]
name = "two"
format = "FLOAT32_4"
width = 13
height = 9
[[pass]]
program = {{ file = "p.dpp" }}
domain = {{ i0 = 0, j0 = 0, i1 = 12, j1 = 8 }}
outputs = {{ 0 = "one", 1 = "two" }}
"""
        )
        result = ctm.Job.read(path).run()
        two = result.outputs["two"]
        assert two[4, 8].tolist() == [0.5, 0.25, 0, 0]
        one = result.outputs["one"]
        scale = {"FLOAT32_2": 1, "UINT8_4": 255, "UINT16_1": 65535}[format]
        expected = two * scale if scale == 1 else np.round(two * scale)
        expected = expected[..., 0] if one.ndim == 2 else expected[..., : one.shape[2]]
        assert np.abs(one.astype(float) - expected).max() <= (scale != 1)


def test_errors_of_jobs_have_file_line_and_key(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text(
        'version = 1\nprogram = { file = "none.dpp" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n'
    )
    with pytest.raises(ctm.Error) as error:
        ctm.Job.read(path)
    error = pickle.loads(pickle.dumps(error.value))
    assert (error.file, error.line, error.key) == (str(path), 2, "program.file")
    (tmp_path / "root").mkdir()
    with pytest.raises(ctm.Error, match="root"):
        ctm.Job.read(path, root=tmp_path / "root")


def test_a_root_confines_the_sources_of_a_job_that_was_read(tmp_path):
    box, text = tmp_path / "box", "; allow(uninitialised)\nadd o0, r0, r5\n"
    box.mkdir()
    for name in ("box/inside", "outside"):
        source = tmp_path / f"{name}.dpp"
        source.write_text(text)
        job = box / f"{source.stem}.toml"
        (box / f"{source.stem}.elf").write_bytes(ctm.assemble(text, name=str(source)))
        job.write_text(
            f'version = 1\nprogram = {{ file = "{source.stem}.elf" }}\n'
            "domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n"
            'output = [{ slot = 0, format = "FLOAT32_4" }]\n'
        )
        assert ctm.check(ctm.Job.read(job)) == []
        read = ctm.Job.read(job, root=box)
        # What is not opened allows nothing.
        for confined in (read, pickle.loads(pickle.dumps(read))):
            assert len(ctm.check(confined)) == (name == "outside")
        assert pickle.loads(pickle.dumps(read)).run().outputs[0].shape == (4, 4, 4)
    _, arguments = read.__reduce__()
    elsewhere = ctm.Job(*arguments[:3], str(tmp_path / "none"))
    assert len(ctm.check(elsewhere)) == 1 and elsewhere.digest == read.digest


def test_checks_of_a_job_a_path_and_a_program(tmp_path):
    (tmp_path / "p.dpp").write_text("add o0, r0, r5\n")
    path = tmp_path / "job.toml"
    path.write_text(
        'version = 1\nprogram = { file = "p.dpp" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n'
        'output = [{ slot = 0, format = "FLOAT32_4" }]\n'
    )
    program = ctm.Program(tmp_path / "p.dpp")
    found = [
        ctm.check(path),
        ctm.check(ctm.Job.read(path)),
        ctm.check(program, (0, 0, 3, 3), outputs={0: "FLOAT32_4"}),
    ]
    for findings in found:
        (finding,) = findings
        assert (finding.code, finding.pc, finding.point, finding.line) == ("uninitialised", 0, (0, 0), 1)
        assert finding.file == str(tmp_path / "p.dpp") and finding.severity == "error"
    assert len({repr(findings) for findings in found}) == 1
    allowed = ctm.Program("; allow(uninitialised)\nadd o0, r0, r5")
    assert ctm.check(allowed, (0, 0, 3, 3), outputs={0: "FLOAT32_4"}) == []
    with pytest.raises(ctm.Error, match="outputs: a run needs them"):
        ctm.check(program, (0, 0, 3, 3))


def test_a_device_reads_and_writes_memory():
    device = ctm.Device(gpu_bytes=1 << 20, sys_bytes=1 << 16)
    assert device.sys > device.gpu
    numbers = np.arange(16, dtype="uint32")
    for value in (numbers, numbers.tobytes(), memoryview(numbers), bytearray(numbers.tobytes())):
        device.write(device.sys, b"\0" * 64)
        device.write(device.sys, value)
        assert device.read(device.sys, 64) == numbers.tobytes()
    for call in (
        lambda: device.read(device.sys + (1 << 16), 4),
        lambda: device.read(device.gpu, 1 << 62),
        lambda: device.write(3, b"abc"),
        lambda: device.submit([0xC0000800, 0]),
        lambda: device.submit([1]),
        lambda: device.submit(b"abc"),
    ):
        with pytest.raises(ctm.Error):
            call()
    assert device.submit(np.array([], "uint32")).launches == 0
    with pytest.raises(ctm.Error, match="the arenas need"):
        ctm.Device(gpu_bytes=1 << 40)


def test_a_fault_of_a_device_has_the_number_of_its_launch():
    device = ctm.Device(gpu_bytes=1 << 16, sys_bytes=0)
    code, target = device.gpu, device.gpu + 0x2000
    device.write(code, ctm.assemble("mov o0, r0"))
    # Outside all memory.
    outside = device.gpu + (1 << 16)

    def launch(output):
        return [
            0xC0030C00, 0, output, 4 << 24 | 8, 8, 0xC0010A00, code, 0,
            0xC0030700, 0, 0, 7, 7, 0xC0000800, 0,
        ]

    report = device.submit(launch(target) + launch(outside) + launch(target) + launch(outside))
    assert report.launches == 4 and repr(report) == "<ctm.Report: 4 launches, 2 faults>"
    assert [fault.launch for fault in report.faults] == [1, 3]
    assert report.faults[0].text.startswith("launch 1: output_outside_memory: ")
    report = device.submit(launch(outside))
    assert repr(report) == "<ctm.Report: 1 launch, 1 fault>"
    assert report.faults[0].text.startswith("output_outside_memory: ")


def test_a_job_says_how_many_launches_it_has(tmp_path):
    (tmp_path / "p.dpp").write_text("mov o0, r0\n")
    path = tmp_path / "job.toml"
    path.write_text(
        'version = 1\nprogram = { file = "p.dpp" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n'
        'output = [{ slot = 0, format = "FLOAT32_4" }]\n'
    )
    assert repr(ctm.Job.read(path)) == f"<ctm.Job {path}: 1 launch>"
