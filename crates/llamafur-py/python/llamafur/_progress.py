"""Progress of long work: a bar of tqdm where that is installed, else nothing."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Protocol


class Display(Protocol):
    """What the extension reports to, from the thread that called it."""

    def start(self, task: str, total: int | None, unit: str) -> None:
        """A task begins. ``unit`` is ``"B"`` where its units are bytes."""

    def advance(self, units: int) -> None:
        """So many further units are done."""

    def finish(self) -> None:
        """The task is over."""

    def note(self, text: str) -> None:
        """Something worth reading."""


class Bars:
    """A bar for each task."""

    def __init__(self) -> None:
        from tqdm.auto import tqdm

        self._tqdm: Any = tqdm
        self._bar: Any = None

    def start(self, task: str, total: int | None, unit: str) -> None:
        self.finish()
        self._bar = self._tqdm(total=total, desc=task, unit=unit or " ", unit_scale=True, leave=False, delay=0.5)

    def advance(self, units: int) -> None:
        if self._bar is not None:
            self._bar.update(units)

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None

    def note(self, text: str) -> None:
        self._tqdm.write(text, file=sys.stderr)


def display(progress: bool | Display | None) -> Display | None:
    """What shows the progress of a call: ``None`` for bars where tqdm is installed, ``False`` for nothing."""
    if progress is None or progress is True:
        try:
            with warnings.catch_warnings():
                # Without ipywidgets, tqdm warns and draws text.
                warnings.simplefilter("ignore")
                return Bars()
        except ImportError:
            return None
    return progress or None
