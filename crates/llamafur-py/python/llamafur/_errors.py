"""Exceptions that Python itself does not have."""

from __future__ import annotations


class NotFoundError(KeyError):
    """There is no page, category, model or set of vectors of that name.

    A ``KeyError`` whose text reads as it was written. ``similar`` has the names that may have been meant.

    >>> import llamafur
    >>> try:
    ...     llamafur.toy().rank("Jupitre")
    ... except KeyError as error:
    ...     print(error.similar)
    ['Jupiter']
    """

    def __init__(self, text: str, similar: list[str] | None = None) -> None:
        super().__init__(text)
        self.text = text
        self.similar: list[str] = list(similar or [])

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[type[NotFoundError], tuple[str, list[str]]]:
        return (NotFoundError, (self.text, self.similar))
