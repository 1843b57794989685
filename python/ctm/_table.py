"""Results as tables."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Optional, Protocol

import numpy as np

from ._error import Error

#: The names of the channels of constants, by their number.
_CHANNELS = {"f": ("r", "g", "b", "a"), "i": ("count", "start", "step"), "u": ("count", "start", "step")}


class Result(Protocol):
    """What a table is made of: a result of `ctm.Program.map` or of `ctm.ray.map`."""

    @property
    def outputs(self) -> Mapping[Any, Any]: ...
    @property
    def values(self) -> Mapping[Any, Any]: ...
    @property
    def faults(self) -> list[Any]: ...
    @property
    def launches(self) -> int: ...


def _launch(result: Result, swept: bool, n: int) -> dict[Any, Any]:
    """The outputs of a launch."""
    return {key: array[n] if swept else array for key, array in result.outputs.items()}


def table(
    result: Result, swept: bool, columns: Optional[Mapping[str, Callable[[dict[Any, Any]], Any]]]
) -> dict[str, list[Any]]:
    """See `Result.to_dict`."""
    count = result.launches if swept else 1
    found: dict[str, list[Any]] = {"launch": list(range(count))}
    for key, value in result.values.items():
        array = np.asarray(value)
        if array.ndim == 2 and array.shape[1] > 1:
            for n, channel in enumerate(_CHANNELS[array.dtype.kind][: array.shape[1]]):
                found[f"{key}.{channel}"] = array[:, n].tolist()
        else:
            found[str(key)] = array.reshape(count).tolist()
    for key, output in result.outputs.items():
        points = output if swept else output[np.newaxis]
        if points.shape[1:3] == (1, 1):
            values = points.reshape(count, -1)
            found[f"output {key}"] = (values[:, 0] if values.shape[1] == 1 else values).tolist()
    for name, column in (columns or {}).items():
        if name in found:
            raise Error(f"{name}: there is a column of this name already", key=name)
        found[name] = [column(_launch(result, swept, n)) for n in range(count)]
    if result.faults:
        texts: list[Optional[str]] = [None] * count
        for fault in result.faults:
            at = fault.launch if swept else 0
            texts[at] = texts[at] or fault.text
        found["fault"] = texts
    return found
