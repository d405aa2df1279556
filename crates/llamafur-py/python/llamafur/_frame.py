"""Tables of results, which any data-frame library takes over without a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from . import _llamafur

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

#: Rows that are shown of a table, from its beginning.
SHOWN_ROWS = 20
#: Characters that are shown of a value.
SHOWN_WIDTH = 60


class Frame:
    """A table of results.

    It has ``__arrow_c_stream__``, so polars, pandas, pyarrow and DuckDB read it as it is::

        polars.DataFrame(frame)
        pyarrow.table(frame)
        duckdb.sql("select * from frame")

    >>> import llamafur
    >>> scores = llamafur.toy().score(scorer="aa")
    >>> scores.columns
    ['source', 'target', 'unexpectedness']
    >>> len(scores), scores["target"][0]
    (23, 'Llama')
    """

    def __init__(self, inner: _llamafur.Frame) -> None:
        self._inner = inner

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame().__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._frame().__arrow_c_schema__()

    def _frame(self) -> _llamafur.Frame:
        return self._inner

    @property
    def columns(self) -> list[str]:
        """The names of the columns: those of the command line's tables."""
        return self._frame().columns()

    def __len__(self) -> int:
        return len(self._frame())

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column, ``None`` where there is none."""
        frame = self._frame()
        return frame.values(column, 0, len(frame))

    def rows(self, start: int = 0, end: int | None = None) -> list[dict[str, Any]]:
        """Some of the rows as dictionaries, all by default."""
        frame = self._frame()
        end = len(frame) if end is None else min(end, len(frame))
        start = max(0, start)
        columns = {name: frame.values(name, start, max(start, end)) for name in self.columns}
        return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for start in range(0, len(self), 1024):
            yield from self.rows(start, start + 1024)

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame, without a copy."""
        import polars

        return polars.DataFrame(self)

    def to_pyarrow(self) -> pyarrow.Table:
        """The table as a pyarrow table, without a copy."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame; needs pyarrow."""
        return self.to_pyarrow().to_pandas()

    def __repr__(self) -> str:
        shown = self.rows(0, SHOWN_ROWS)
        lines = [self.columns, *([_text(value) for value in row.values()] for row in shown)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        numeric = [all(_is_number(row[name]) for row in shown) for name in self.columns]
        text = ["  ".join(_aligned(*cell) for cell in zip(line, widths, numeric, strict=True)).rstrip() for line in lines]
        more = len(self) - len(shown)
        return "\n".join([*text, *([f"… {more} more"] if more else [])])

    def _repr_html_(self) -> str:
        shown = self.rows(0, SHOWN_ROWS)
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{escape(_text(value))}</td>" for value in row.values()) + "</tr>" for row in shown
        )
        more = len(self) - len(shown)
        rest = f"<p>… {more} more</p>" if more else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _aligned(text: str, width: int, to_the_right: bool) -> str:
    return text.rjust(width) if to_the_right else text.ljust(width)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3f}"
    if isinstance(value, list):
        return _text("; ".join(map(str, value)))
    text = str(value).replace("\n", " ")
    return text if len(text) <= SHOWN_WIDTH else text[: SHOWN_WIDTH - 1] + "…"
