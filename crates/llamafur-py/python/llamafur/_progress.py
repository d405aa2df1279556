"""Progress of long work: a bar of tqdm where that is installed, else nothing."""

from __future__ import annotations

import sys
import warnings
from typing import Any, Protocol, TypeAlias


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


#: What shows the progress of a call: ``None`` for bars where tqdm is installed, ``False`` for nothing.
Progress: TypeAlias = "bool | Display | None"


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


def display(progress: Progress) -> Display | None:
    """The object that shows the progress of a call."""
    if progress is None or progress is True:
        try:
            with warnings.catch_warnings():
                # Without ipywidgets, tqdm warns and draws text.
                warnings.simplefilter("ignore")
                return Bars()
        except ImportError:
            return None
    return progress or None


def late_display(progress: Progress) -> Display | None:
    """The same for calls most of which take less time than tqdm takes to be imported: bars are made when first needed."""
    return _LateDisplay() if progress is None else display(progress)


class _LateDisplay:
    """A display that is made when something is shown for the first time."""

    def __init__(self) -> None:
        self._display: Display | None = None
        self._is_made = False

    def _made(self) -> Display | None:
        if not self._is_made:
            self._is_made, self._display = True, display(None)
        return self._display

    def start(self, task: str, total: int | None, unit: str) -> None:
        if shown := self._made():
            shown.start(task, total, unit)

    def advance(self, units: int) -> None:
        if shown := self._made():
            shown.advance(units)

    def finish(self) -> None:
        if shown := self._made():
            shown.finish()

    def note(self, text: str) -> None:
        if shown := self._made():
            shown.note(text)
