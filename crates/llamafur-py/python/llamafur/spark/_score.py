"""Scores of links by a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql import Window
from pyspark.sql import functions as F

from .. import _llamafur
from .._model import Model
from ._frames import Batches, encoded, joined, one_batch
from ._ship import Shipped

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCORES = "source string, target string, unexpectedness double"
PAIRS = "source_category string, target_category string, weight double"


def score(
    links: DataFrame,
    categories: DataFrame,
    model: Model,
    *,
    normalise: str | None = None,
    pairs: bool = True,
) -> DataFrame:
    """The unexpectedness of every link, and the pair of categories that says most for it.

    ``links`` has the columns source and target, ``categories`` the columns page and category, or a list of them. Nulls, empty
    names, duplicates and links of a page to itself are left out, as an import leaves them out.

    Columns: source, target, unexpectedness (null where a page has no category that the model knows), source_category,
    target_category and weight: of a link that is more odd than expected the lightest pair, of another the heaviest; null where no
    pair speaks for that. Without ``pairs`` the last three are left out.

    The scores are those of the scorer ``llamafur`` of a model over categories alone, to the last bit. Nothing is collected: the
    model goes to the workers, the links stay there.
    """
    shipped = ship(links.sparkSession, model, normalise)
    scorer = _Score(shipped, normalise, pairs)
    return joined(links, encoded(categories, shipped)).mapInArrow(scorer, f"{SCORES}, {PAIRS}" if pairs else SCORES)


def top(
    links: DataFrame,
    categories: DataFrame,
    model: Model,
    *,
    top: int = 10,
    per_source: bool = False,
    normalise: str | None = None,
    pairs: bool = True,
) -> DataFrame:
    """The most unexpected links of all, or of each source; those of equal unexpectedness in the order of their names.

    Columns: those of :func:`score`, with ``rank`` before them.
    """
    if top < 1:
        raise ValueError(f"top must be positive, got {top}")
    scored = score(links, categories, model, normalise=normalise, pairs=pairs).where(F.col("unexpectedness").isNotNull())
    order = [F.desc("unexpectedness"), F.asc("source"), F.asc("target")]
    columns = scored.columns
    if per_source:
        rank = F.row_number().over(Window.partitionBy("source").orderBy(*order))
        return scored.withColumn("rank", rank).where(F.col("rank") <= top).select("rank", *columns)
    few = scored.orderBy(*order).limit(top)
    return few.withColumn("rank", F.row_number().over(Window.orderBy(*order))).select("rank", *columns)


def ship(spark: SparkSession, model: Model, normalise: str | None) -> Shipped:
    """The model's matrix over categories, with their names, on the workers."""

    def write(path: Path) -> None:
        model.save(path)
        # A wrong setting is an error here rather than on a worker.
        _llamafur.PortableModel.open(path).scorer(normalise)

    return Shipped(spark, write)


class _Score:
    def __init__(self, model: Shipped, normalise: str | None, pairs: bool) -> None:
        self.model = model
        self.normalise = normalise
        self.pairs = pairs

    def __call__(self, batches: Batches) -> Batches:
        scorer = self.model.open().scorer(self.normalise)
        for batch in batches:
            scored = one_batch(scorer.score(batch.select(["source_categories", "target_categories"]), self.pairs))
            columns = [batch.column("source"), batch.column("target"), *scored.columns]
            yield pa.RecordBatch.from_arrays(columns, ["source", "target", *scored.schema.names])
