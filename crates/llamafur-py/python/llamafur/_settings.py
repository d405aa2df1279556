"""Arguments of methods, as the extension takes them."""

from __future__ import annotations

import operator
import os
from collections.abc import Sequence
from typing import Any


def scoring_of(
    scorer: str | None,
    model: str | None,
    normalise: str | None,
    studentise: str | None,
    where: str | None = None,
    order: str | None = None,
) -> dict[str, Any]:
    """Which scorer, how it scores, and what of its rankings is wanted."""
    names = {"scorer": scorer, "model": model, "normalise": normalise, "studentise": studentise}
    return {**names, "where": where, "order": order}


def learning_of(
    method: str | None,
    rank: int | None,
    ensemble: int | None,
    seed: int | None,
    passes: int | None,
    aggressiveness: float | None,
    held_out: float | None,
) -> dict[str, Any]:
    """How a learner learns."""
    for name, number in {"rank": rank, "ensemble": ensemble, "seed": seed, "passes": passes}.items():
        if number is not None and number < 0:
            raise ValueError(f"{name} must not be negative, got {number}")
    numbers = {"rank": rank, "ensemble": ensemble, "seed": seed, "passes": passes}
    return {"method": method, **numbers, "aggressiveness": aggressiveness, "held_out": held_out}


def scorer_names(names: Sequence[str] | None) -> list[str]:
    """Names of scorers; none for the default ones."""
    if isinstance(names, str):
        raise TypeError("scorers must be several names, got one: put it into a list")
    if names is not None and not names:
        raise ValueError("scorers must have a name, got none: leave it out for the default ones")
    return list(names or ())


def report_of(
    report: str | os.PathLike[str] | None,
    overwrite: bool,
    pages: Sequence[str],
    categories: Sequence[str],
    folds: int,
    milestones: Sequence[int | str],
    cleansing: str | None,
) -> dict[str, Any] | None:
    """What a report is to show; ``None`` for no report."""
    several = {"pages": pages, "categories": categories, "milestones": milestones}
    for name, values in several.items():
        if isinstance(values, str):
            raise TypeError(f"{name} must be several, got one: put it into a list")
    given = [name for name, values in several.items() if values] + ["cleansing"] * (cleansing is not None)
    if report is None and given:
        raise ValueError(f"{given[0]} is for a report: pass `report` with a folder, or leave it out")
    if report is None:
        return None
    if not 0 <= operator.index(folds) <= 100:
        raise ValueError(f"folds must be from 2 to 100, or 0 for none, got {folds}")
    shown = {"pages": list(pages), "categories": list(categories), "milestones": [str(goal) for goal in milestones]}
    return {"folder": os.fspath(report), "overwrite": overwrite, **shown, "folds": folds, "cleansing": cleansing}
