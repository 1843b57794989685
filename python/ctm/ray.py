"""Sweeps and batches on an existing Ray cluster.

Work is cut into shards. A task of Ray runs a shard on one processor. A bounded number of shards is in
flight. What a lost node was running runs again elsewhere.
"""

from __future__ import annotations

import collections
import dataclasses
import hashlib
import json
import os
import pathlib
import tempfile
import warnings as python_warnings
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence, Union

import numpy as np
import ray

from . import _progress, _table
from ._ctm import Fault, Job, Program, look, plan
from ._error import Error, Warning

#: The most jobs of a shard.
JOBS = 256

#: The most work of a shard with several jobs: points x instructions.
WORK = 1 << 31

#: The most launches and points of a shard of a sweep.
LAUNCHES = 4096
POINTS = 1 << 22

Progress = Union[bool, Callable[[int, int], Any], None]
Value = Callable[[Any], Any]


def _in_flight(given: Optional[int]) -> int:
    """The shards in flight: two for each processor, so that none waits for the driver."""
    return given or max(2, 2 * int(ray.cluster_resources().get("CPU", 1)))


def _one_thread() -> None:
    """A task has one processor. The library reads this before it starts threads."""
    os.environ.setdefault("RAYON_NUM_THREADS", "1")


def _finished(
    start: Callable[[int], ray.ObjectRef], shards: Iterable[int], in_flight: int
) -> Iterator[tuple[int, Any]]:
    """Starts shards, at most `in_flight` at once, and yields what they return as they end."""
    running: dict[ray.ObjectRef, int] = {}
    waiting = iter(shards)
    while True:
        while len(running) < in_flight:
            shard = next(waiting, None)
            if shard is None:
                break
            running[start(shard)] = shard
        if not running:
            return
        (done, *_), _ = ray.wait(list(running), num_returns=1)
        yield running.pop(done), ray.get(done)


@dataclasses.dataclass(repr=False)
class MapResult:
    """What `map` returns: as a result of `Program.map`."""

    outputs: dict[Any, np.ndarray]
    faults: list[Fault]
    statistics: Optional[dict[str, int]]
    hazards: list[str]
    warnings: list[str]
    launches: int
    values: dict[Any, Any]

    def to_dict(self, **columns: Callable[[dict[Any, Any]], Any]) -> dict[str, list[Any]]:
        """See `ctm.Result.to_dict`."""
        return _table.table(self, True, columns)

    def __repr__(self) -> str:
        outputs, launches, faults = list(self.outputs), self.launches, len(self.faults)
        return f"<ctm.ray.MapResult: outputs {outputs}, launches {launches}, faults {faults}>"


def _run_map(
    program: Program,
    domain: Sequence[int],
    shared: Mapping[str, Any],
    own: Mapping[str, Any],
    options: Mapping[str, Any],
) -> tuple[dict[Any, np.ndarray], list[tuple[Any, ...]], Optional[dict[str, int]], list[str], list[str]]:
    _one_thread()
    named = {key: {**shared[key], **own[key]} for key in ("inputs", "constants")}
    with python_warnings.catch_warnings():
        # The driver warns.
        python_warnings.simplefilter("ignore", Warning)
        result = program.map(domain, **named, **options)  # type: ignore[arg-type]
    faults = [fault.__getnewargs__() for fault in result.faults]
    return result.outputs, faults, result.statistics, result.hazards, result.warnings


def _varies(argument: str, value: np.ndarray) -> bool:
    """Whether an argument has an axis for the launches, as `Program.map` says."""
    if argument == "inputs":
        return value.ndim == 4
    return value.ndim == 2 or value.ndim == 1 and value.dtype == np.bool_


def map(
    program: Program,
    domain: Sequence[int],
    *,
    outputs: Mapping[Any, Any],
    inputs: Optional[Mapping[Any, Any]] = None,
    constants: Optional[Mapping[Any, Any]] = None,
    in_flight: Optional[int] = None,
    progress: Progress = None,
    **options: Any,
) -> MapResult:
    """Like `Program.map`, on the cluster. Arrays that all launches share cross to a node once."""
    domain = tuple(domain) if isinstance(domain, Iterable) else domain
    # What is wrong with the arguments is found here, not by a worker.
    count, points = plan(program, domain, outputs, inputs, constants)
    given = {"inputs": dict(inputs or {}), "constants": dict(constants or {})}
    arrays = {
        argument: {key: np.asarray(value) for key, value in values.items()}
        for argument, values in given.items()
    }
    # Arguments that do not vary keep their types: a bare number is not an array.
    own = {
        argument: {key: value for key, value in values.items() if _varies(argument, value)}
        for argument, values in arrays.items()
    }
    shared: Mapping[str, Any] = {
        argument: {key: value for key, value in values.items() if key not in own[argument]}
        for argument, values in given.items()
    }
    size = max(1, min(LAUNCHES, POINTS // max(1, points)))
    firsts = list(range(0, count, size)) or [0]
    task = ray.remote(_run_map).options(num_cpus=1, max_retries=-1)
    program_ref, shared_ref = ray.put(program), ray.put(shared)
    options = {"outputs": dict(outputs), **options}

    def start(first: int) -> ray.ObjectRef:
        part = {
            argument: {key: value[first : first + size] for key, value in values.items()}
            for argument, values in own.items()
        }
        return task.remote(program_ref, domain, shared_ref, part, options)

    told = _progress.of(progress) if progress is not None else None
    values = {key: given["constants"][key] for key in own["constants"]}
    whole = MapResult({}, [], None, [], [], count, values)
    faults: dict[int, list[Fault]] = {}
    sums: collections.Counter[str] = collections.Counter()
    done = 0
    for first, (arrays_, faults_, statistics, hazards, warnings) in _finished(
        start, firsts, _in_flight(in_flight)
    ):
        for key, array in arrays_.items():
            if key not in whole.outputs:
                whole.outputs[key] = np.empty((count, *array.shape[1:]), array.dtype)
            whole.outputs[key][first : first + len(array)] = array
        faults[first] = [
            Fault(code, times, point, pc, slot, word, launch + first, line, many)
            for code, times, point, pc, slot, word, launch, line, many in faults_
        ]
        if statistics is not None:
            sums.update(statistics)
            whole.statistics = dict(sums)
        for text, texts in ((hazards, whole.hazards), (warnings, whole.warnings)):
            texts.extend(one for one in text if one not in texts)
        done += min(size, count - first)
        if told:
            told(done, count)
    whole.faults = [fault for first in sorted(faults) for fault in faults[first]]
    for text in whole.warnings:
        python_warnings.warn(text, Warning, stacklevel=2)
    return whole


@dataclasses.dataclass
class Table:
    """What `batch` returns."""

    #: One line of JSON for each job, in the order of the jobs.
    path: pathlib.Path
    #: The same as Parquet, if pyarrow is installed.
    parquet: Optional[pathlib.Path]
    #: The number of jobs by status: "ok", "fault", "error".
    counts: dict[str, int]
    #: What each node of the cluster did, by its id: {"shards": n, "jobs": n}.
    nodes: dict[str, dict[str, int]]


def row(
    name: str,
    value: Optional[Value] = None,
    *,
    path: Optional[str] = None,
    record: Optional[int] = None,
    **options: Any,
) -> dict[str, Any]:
    """Runs a job file, or a job of a pack; returns its row of the table. `path` is where it is, if `name` does not say
    so, and `record` its number in the pack."""
    try:
        result = Job.read(name if path is None else path, record).run(**options)
        faults = [
            {"code": fault.code, "count": fault.count, "i": fault.point[0], "j": fault.point[1],
             "pc": fault.pc, "launch": fault.launch, "text": fault.text}
            for fault in result.faults
        ]
        found: dict[str, Any] = {
            "job": name,
            "status": "fault" if faults else "ok",
            "launches": result.launches,
            "faults": faults,
            "hazards": result.hazards,
            "outputs": {
                str(key): {
                    "dtype": str(array.dtype),
                    "shape": list(array.shape),
                    "md5": hashlib.md5(array.tobytes()).hexdigest(),
                }
                for key, array in result.outputs.items()
            },
        }
        if value is not None:
            found["value"] = value(result)
        return found
    except (Error, MemoryError) as error:
        return {"job": name, "status": "error", "error": str(error) or type(error).__name__}


def _write(path: pathlib.Path, text: str) -> None:
    """Writes a file under another name and renames it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, prefix=".", suffix=".part", delete=False
    ) as file:
        file.write(text)
    os.replace(file.name, path)


def _run_shard(
    jobs: Sequence[tuple[str, str, Optional[int], Optional[str]]],
    file: str,
    value: Optional[Value],
    options: Mapping[str, Any],
) -> str:
    """Runs jobs: of each the name, the path, the number in a pack, and the row if there is one already."""
    _one_thread()
    rows = [
        kept if kept is not None else json.dumps(row(name, value, path=path, record=record, **options))
        for name, path, record, kept in jobs
    ]
    text = json.dumps({"node": ray.get_runtime_context().get_node_id(), "rows": rows})
    _write(pathlib.Path(file), text)
    return text


def _shards(works: Sequence[int]) -> Iterator[range]:
    """Consecutive jobs of these works, at most JOBS of them and about WORK."""
    first, work = 0, 0
    for n, more in enumerate(works):
        if n > first and (n - first == JOBS or work + more > WORK):
            yield range(first, n)
            first, work = n, 0
        work += more
    if first < len(works):
        yield range(first, len(works))


def batch(
    jobs: Iterable[Union[str, os.PathLike[str]]],
    *,
    out: Union[str, os.PathLike[str]],
    value: Optional[Value] = None,
    in_flight: Optional[int] = None,
    progress: Progress = None,
    retry_failed: bool = False,
    **options: Any,
) -> Table:
    """Runs job files, and the jobs of packs, and writes OUT/table.jsonl. Called again with the same jobs, it continues.

    A job that failed raises nothing: its row and `counts` of the result say so. A second call keeps its
    row; with `retry_failed` it runs again.

    The nodes read the jobs, or the packs, by their absolute paths. Each finished shard is a file of its own in OUT/shards, under
    the hash of its contents, so a lost driver loses nothing and a lost node what it was running.
    `value(result)` adds a value to each row; another function needs another folder. `options` are those of
    `Job.run`.
    """
    looked = look([os.fspath(job) for job in jobs])
    folder = pathlib.Path(out).absolute()
    shards = list(_shards([work for *_, work in looked]))
    kind = None if value is None else f"{value.__module__}.{value.__qualname__}"

    def file_of(shard: range) -> pathlib.Path:
        contents = [(name, digest) for name, _, _, digest, _ in looked[shard.start : shard.stop]]
        text = json.dumps([1, kind, sorted(options.items()), contents])
        return folder / "shards" / f"{hashlib.md5(text.encode()).hexdigest()}.json"

    files = [file_of(shard) for shard in shards]
    kept: dict[int, list[Optional[str]]] = {}
    for n, file in enumerate(files):
        if not file.exists():
            kept[n] = [None] * len(shards[n])
        elif retry_failed:
            lines = json.loads(file.read_text())["rows"]
            if any(_status(line) != "ok" for line in lines):
                kept[n] = [line if _status(line) == "ok" else None for line in lines]
    missing = list(kept)
    task = ray.remote(_run_shard).options(num_cpus=1, max_retries=-1)

    def start(n: int) -> ray.ObjectRef:
        found = looked[shards[n].start : shards[n].stop]
        # The workers of Ray have folders of their own.
        part = [
            (name, os.path.abspath(path), record, line)
            for (name, path, record, *_), line in zip(found, kept[n])
        ]
        return task.remote(part, str(files[n]), value, options)

    told = _progress.of(progress) if progress is not None else None
    done = sum(len(shard) for shard in shards) - sum(len(shards[n]) for n in missing)
    for n, text in _finished(start, missing, _in_flight(in_flight)):
        if not files[n].exists() or files[n].read_text() != text:
            # The node has another file system.
            _write(files[n], text)
        done += len(shards[n])
        if told:
            told(done, len(looked))
    nodes: dict[str, dict[str, int]] = {}
    rows: list[str] = []
    for file in files:
        found = json.loads(file.read_text())
        node = nodes.setdefault(found["node"], {"shards": 0, "jobs": 0})
        node["shards"] += 1
        node["jobs"] += len(found["rows"])
        rows.extend(found["rows"])
    table = folder / "table.jsonl"
    _write(table, "".join(line + "\n" for line in rows))
    counts = {status: 0 for status in ("ok", "fault", "error")}
    for line in rows:
        counts[_status(line)] += 1
    return Table(table, _parquet(folder, rows), counts, nodes)


def _status(line: str) -> str:
    """The status of a row of the table."""
    return str(json.loads(line)["status"])


def _parquet(folder: pathlib.Path, rows: Sequence[str]) -> Optional[pathlib.Path]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        return None
    columns: dict[str, list[Any]] = {}
    keys = ("job", "status", "launches", "error", "faults", "hazards", "outputs", "value")
    parsed = [json.loads(line) for line in rows]
    for key in keys:
        cells = [line.get(key) for line in parsed]
        if any(cell is not None for cell in cells):
            # Nested cells are JSON: their keys differ from job to job.
            nested = key in ("faults", "hazards", "outputs", "value")
            columns[key] = [json.dumps(cell) if nested else cell for cell in cells]
    path = folder / "table.parquet"
    part = folder / ".table.parquet.part"
    pyarrow.parquet.write_table(pyarrow.table(columns), part)
    os.replace(part, path)
    return path
