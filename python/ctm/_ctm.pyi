from os import PathLike
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "Device",
    "Fault",
    "Finding",
    "Job",
    "Program",
    "Proof",
    "Report",
    "Result",
    "Results",
    "assemble",
    "check",
    "pack",
    "prove",
    "run_many",
]

__version__: str

_Domain = tuple[int, int, int, int] | Sequence[int]
_Key = int | str

# Keys are int or str. A mapping is invariant in its keys: dict[int, str] is no Mapping[int | str, str].
_Arrays = Mapping[Any, ArrayLike]
_Outputs = Mapping[Any, str | ArrayLike]
_Words = bytes | bytearray | Sequence[Sequence[int]] | NDArray[np.integer[Any]]

@final
class Fault:
    code: str
    count: int
    point: tuple[int, int]
    pc: int
    slot: int
    word: int
    launch: int
    text: str
    def __new__(
        cls,
        code: str,
        count: int,
        point: tuple[int, int],
        pc: int,
        slot: int,
        word: int,
        launch: int,
        line: str,
        many: bool,
    ) -> Fault: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self, /) -> int: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class Result:
    outputs: dict[_Key, NDArray[Any]]
    faults: list[Fault]
    statistics: dict[str, int] | None
    ran: list[tuple[str, int, str | None]]
    hazards: list[str]
    warnings: list[str]
    launches: int
    values: dict[_Key, Any]
    def picture(
        self, output: _Key | None = None, *, launch: int = 0, scale: int = 1
    ) -> bytes: ...
    def to_dict(self, **columns: Callable[[dict[Any, Any]], Any]) -> dict[str, list[Any]]: ...
    def to_pandas(self, **columns: Callable[[dict[Any, Any]], Any]) -> Any: ...
    def _repr_png_(self) -> bytes | None: ...

@final
class Finding:
    code: str
    severity: str
    message: str
    help: str | None
    pass_number: int
    pc: int | None
    file: str | None
    line: int | None
    column: int | None
    end: int | None
    point: tuple[int, int] | None
    count: int

@final
class Proof:
    answer: str
    rules: str
    differences: list[dict[str, Any]]
    input: dict[str, Any] | None
    bits: list[int | None] | None
    engine: dict[str, Any] | None
    error: float | None
    reason: str | None
    text: str
    def __bool__(self) -> bool: ...

@final
class Report:
    words: int
    launches: int
    warnings: list[str]
    hazards: list[str]
    faults: list[Fault]
    statistics: dict[str, int] | None

@final
class Program:
    name: str
    warnings: list[str]
    inputs: dict[str, int]
    outputs: dict[str, int]
    constants: dict[str, str]
    uniforms: dict[str, str]
    varyings: dict[str, str]
    def __new__(
        cls,
        source: str | bytes | PathLike[str],
        *,
        name: str | None = None,
        kind: str | None = None,
        index: int | None = None,
        registers: Mapping[str, int] | None = None,
        umrt: bool | None = None,
        precise: bool = False,
        linear: Sequence[str] = ...,
    ) -> Program: ...
    @staticmethod
    def from_words(
        words: _Words,
        *,
        registers: Mapping[str, int] | None = None,
        umrt: bool = False,
        name: str = "program",
    ) -> Program: ...
    @staticmethod
    def compile(
        text: str,
        language: str = "glsl",
        *,
        name: str = "shader",
        precise: bool = False,
        linear: Sequence[str] = ...,
    ) -> Program: ...
    def run(
        self,
        domain: _Domain,
        *,
        outputs: _Outputs,
        inputs: _Arrays | None = None,
        constants: _Arrays | None = None,
        uniforms: Mapping[str, Any] | None = None,
        varyings: Mapping[str, ArrayLike] | None = None,
        out: Mapping[Any, NDArray[Any]] | None = None,
        engine: str = "auto",
        adapter: str | None = None,
        mode: str = "exact",
        stats: bool = False,
        limit: int | None = None,
    ) -> Result: ...
    def map(
        self,
        domain: _Domain,
        *,
        outputs: _Outputs,
        inputs: _Arrays | None = None,
        constants: _Arrays | None = None,
        uniforms: Mapping[str, Any] | None = None,
        varyings: Mapping[str, ArrayLike] | None = None,
        out: Mapping[Any, NDArray[Any]] | None = None,
        engine: str = "auto",
        adapter: str | None = None,
        mode: str = "exact",
        stats: bool = False,
        limit: int | None = None,
        progress: bool | Callable[[int, int], Any] | None = None,
    ) -> Result: ...
    def disassemble(self, *, friendly: bool = True) -> str: ...
    def translate(self, *, size: tuple[int, int] = ..., mode: str = "exact") -> str: ...
    def elf(self) -> bytes: ...
    def _repr_html_(self) -> str: ...
    def __getnewargs_ex__(self) -> tuple[tuple[bytes], dict[str, Any]]: ...

@final
class Job:
    path: str
    about: str
    warnings: list[str]
    launches: int
    points: int
    digest: str
    def __new__(
        cls,
        text: str,
        path: str | PathLike[str],
        files: Mapping[str, bytes],
        root: str | PathLike[str] | None = None,
    ) -> Job: ...
    @staticmethod
    def read(
        path: str | PathLike[str],
        record: int | None = None,
        root: str | PathLike[str] | None = None,
    ) -> Job: ...
    def run(
        self,
        *,
        engine: str = "auto",
        adapter: str | None = None,
        mode: str | None = None,
        stats: bool = False,
        limit: int | None = None,
    ) -> Result: ...
    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]: ...

@final
class Device:
    gpu: int
    sys: int
    def __new__(
        cls,
        *,
        engine: str = "auto",
        adapter: str | None = None,
        mode: str = "exact",
        stats: bool = False,
        coherence: bool = False,
        gpu_bytes: int = 268435456,
        sys_bytes: int = 67108864,
    ) -> Device: ...
    def write(self, address: int, data: bytes | ArrayLike) -> None: ...
    def read(self, address: int, count: int) -> bytes: ...
    def submit(self, words: bytes | bytearray | Sequence[int] | NDArray[np.integer[Any]]) -> Report: ...

@final
class Results(Iterator[Result | Exception]):
    def __iter__(self) -> Results: ...
    def __next__(self) -> Result | Exception: ...

def run_many(
    launches: Iterable[Sequence[Any]],
    *,
    engine: str = "auto",
    adapter: str | None = None,
    mode: str = "exact",
    stats: bool = False,
    limit: int | None = None,
) -> Results: ...

def check(
    subject: Job | Program | str | PathLike[str],
    domain: _Domain | None = None,
    *,
    outputs: _Outputs | None = None,
    inputs: _Arrays | None = None,
    constants: _Arrays | None = None,
    uniforms: Mapping[str, Any] | None = None,
    varyings: Mapping[str, ArrayLike] | None = None,
    mode: str | None = None,
    limit: int | None = None,
    points: int | None = None,
) -> list[Finding]: ...
def assemble(text: str, name: str = "program") -> bytes: ...
def pack(jobs: Sequence[str | PathLike[str]], path: str | PathLike[str]) -> None: ...
def prove(
    a: Job | Program | str | PathLike[str],
    b: Job | Program | str | PathLike[str],
    *,
    rules: str = "values",
    timeout: float | None = None,
) -> Proof: ...
def plan(
    program: Program,
    domain: _Domain,
    outputs: _Outputs,
    inputs: _Arrays | None,
    constants: _Arrays | None,
) -> tuple[int, int]: ...
def look(
    paths: Sequence[str | PathLike[str]],
) -> list[tuple[str, str, int | None, str, int]]: ...
