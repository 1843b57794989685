"""Progress of sweeps."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

from ._error import Error


def of(progress: Union[bool, Callable[[int, int], Any]]) -> Optional[Callable[[int, int], Any]]:
    """The function that gets the progress: the caller's, a bar of tqdm for True, or None."""
    if callable(progress):
        return progress
    if not isinstance(progress, bool):
        # What Python prints for a value may have no end.
        text = f"progress: found {type(progress).__name__}, needed True, False or a function of (done, total)"
        raise Error(text, key="progress")
    if not progress:
        return None
    try:
        from tqdm.auto import tqdm  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        return None
    bar = tqdm(total=0, unit="launch")

    def update(done: int, total: int) -> None:
        bar.total = total
        bar.update(done - bar.n)
        if done == total:
            bar.close()

    return update
