"""Learning on many machines.

``naive`` counts: the links between every pair of categories are counted where they are, and the counts added up. It is the matrix
of one machine, bit for bit.

``factored`` is learnt by iterative parameter mixing (R. McDonald, K. Hall & G. Mann, “Distributed Training Strategies for the
Structured Perceptron”, NAACL 2010, section 3, https://aclanthology.org/N10-1069): the pages are dealt to partitions with all their
links. In a round every partition makes one pass over its own links, from the same tables; then each row of a table becomes the mean
of that row in the partitions that have touched it, and so does AdaGrad's sum of squares. Means of many small steps are smaller than the
steps of one machine, so rows also keep half of the movement of the round before (K. Chen & Q. Huo, “Scalable Training of Deep Learning
Machines by Incremental Block Training with Intra-Block Parallel Optimization and Blockwise Model-Update Filtering”, ICASSP 2016,
https://doi.org/10.1109/ICASSP.2016.7472805):

    v ← v/2 + (mean − θ),    θ ← θ + v.

Non-links are drawn by (seed, page), as on one machine, whichever partition a page is in. Partitions are a function of the page and
their number, rows are added in the order of the partitions: so the model depends on the number of partitions alone, whatever fails
and is done again. With one partition it is the model of one machine, bit for bit.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import functions as F

from .. import _llamafur
from .._model import Model
from .._progress import Display, display
from ._frames import Batches, categories_of, edges_of, encoded, joined, links_of, one_batch, pages_of
from ._ship import Shipped, ship_array

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

#: Rounds with one partition, and more of them each time that the partitions double: the smaller the parts, the longer it takes
#: until the means come to where one machine does. ``benchmarks/README.md`` has what each round gains.
ROUNDS = 5
ROUNDS_A_DOUBLING = 2.5
#: How much of a round's movement the next one keeps.
MOMENTUM = 0.5
#: Slots for each partition, to which pages are hashed: the more, the more even the partitions are.
SLOTS = 64
#: Pairs that a task counts before it hands them on.
MOST_PAIRS = 4_000_000
#: Links of which so many non-links are drawn, at most, that an ensemble is learnt by default; as on one machine.
MOST_EXAMPLES = 20_000_000
SIDES = ("source", "target")

Floats = npt.NDArray[np.float32]
_folders: list[tempfile.TemporaryDirectory[str]] = []


def train(
    links: DataFrame,
    categories: DataFrame,
    *,
    pages: DataFrame | None = None,
    category_tree: DataFrame | None = None,
    method: str = "factored",
    partitions: int | None = None,
    rounds: int | None = None,
    rank: int = 32,
    ensemble: int | None = None,
    seed: int = 1,
    held_out: float = 0.0,
    name: str | None = None,
    progress: bool | Display | None = None,
) -> Model:
    """Learns the category matrix on the workers: the same :class:`llamafur.Model` as everywhere.

    ``links`` and ``categories`` are as for :func:`score`. ``pages`` has pages that may have neither, ``category_tree`` (child, parent)
    categories that may be on no page: with them the model is over what a corpus of the same frames has. ``method``: ``"factored"`` or ``"naive"``. ``partitions``: into how many
    parts the pages are dealt, as many as the cluster has cores by default; the model of ``factored`` depends on it. ``rounds``:
    passes over all links, after each of which the parts are mixed; by default 5 for one part, 10 for 4, 15 for 16. ``rank``, ``ensemble`` and ``seed``
    as for :meth:`Corpus.train`. ``held_out``: the share of links to measure on first, which takes as long again; none by default.

    The model is in a temporary file until Python ends: :meth:`Model.save` keeps it, :meth:`Corpus.add_model` makes it a model of
    a corpus.

    Raises:
        ValueError: if a setting is out of range, or there is nothing to learn from.
    """
    if method not in ("factored", "naive"):
        raise ValueError(f"method must be factored or naive on Spark, got {method}")
    for setting, number in {"partitions": partitions, "rounds": rounds, "rank": rank, "ensemble": ensemble}.items():
        if number is not None and number < 1:
            raise ValueError(f"{setting} must be positive, got {number}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must be from 0 to 2⁶⁴ − 1, got {seed}")
    if not 0 <= held_out < 1:
        raise ValueError(f"held_out must be at least 0 and below 1, got {held_out}")
    spark = links.sparkSession
    shown = display(progress)
    names = _names(categories, category_tree)
    known = _vocabulary(names, rank=rank, ensemble=ensemble, seed=seed)
    vocabulary = Shipped(spark, lambda path: known.save(path, False))
    carried = encoded(categories, vocabulary)
    try:
        if method == "naive":
            model = _naive(links, carried, names, shown)
        else:
            parts = partitions or getattr(spark, "_sc").defaultParallelism
            conf = _Conf(parts, rounds or ROUNDS + round(ROUNDS_A_DOUBLING * math.log2(parts)), rank, ensemble or 0, seed, held_out)
            model = _factored(links, carried, pages, names, conf, shown)
    finally:
        vocabulary.forget()
    return _kept(model, name or ("naive" if method == "naive" else "llamafur"))


def _names(categories: DataFrame, category_tree: DataFrame | None) -> list[str]:
    """The names of the categories, ascending bytewise."""
    named = categories_of(categories).select("category")
    if category_tree is not None:
        edges = edges_of(category_tree)
        named = named.union(edges.select("child")).union(edges.select("parent"))
    distinct = named.distinct().toArrow().column(0).to_pylist()
    if not distinct:
        raise ValueError("no page has a category: there is nothing to learn from")
    return sorted(distinct, key=lambda name: name.encode())


def _learnt(method: str, figures: dict[str, Any], measured: str | None = None, **settings: Any) -> tuple[Any, str, str | None]:
    """How a model was learnt, as the extension takes it."""
    learning = {"method": method, "rank": None, "ensemble": None, "seed": None, "passes": None}
    counted = {"examples": 0, "without_categories": 0, "explained": {"links": 0, "among": 0}, "checkpoints": [], **figures}
    return {**learning, "aggressiveness": None, "held_out": None, **settings}, json.dumps(counted), measured


def _vocabulary(names: list[str], **settings: Any) -> _llamafur.PortableModel:
    """A model that knows nothing but the names; fails if a setting is out of range, before any work is done."""
    learning, _, _ = _learnt("factored", {}, **settings)
    return _llamafur.PortableModel.of_names(names, learning)


def _kept(model: _llamafur.PortableModel, name: str) -> Model:
    """The model in a file."""
    folder = tempfile.TemporaryDirectory(prefix="llamafur-")
    _folders.append(folder)
    path = Path(folder.name) / f"{name}.safetensors"
    model.save(path, False)
    return Model.open(path)


def _naive(
    links: DataFrame, carried: DataFrame, names: list[str], shown: Display | None
) -> _llamafur.PortableModel:
    """Counts the pages of each category and the links of each pair."""
    if shown:
        shown.start("counting links between categories", 2, "")
    of_pages = carried.select(F.explode("carried").alias("category")).groupBy("category").count().toArrow()
    num_pages = np.zeros(len(names), np.uint32)
    num_pages[of_pages.column("category").to_numpy()] = of_pages.column("count").to_numpy()
    if shown:
        shown.advance(1)
    counted = joined(links, carried).mapInArrow(_count_pairs, "source_category int, target_category int, links long")
    sums = counted.groupBy("source_category", "target_category").agg(F.sum("links").alias("links")).toArrow()
    columns = [sums.column(place).to_numpy() for place in range(3)]
    order = np.lexsort((columns[1], columns[0]))
    if len(order) and columns[2].max() > np.iinfo(np.uint32).max:
        raise ValueError("a pair of categories has more links than can be counted")
    pairs = tuple(np.ascontiguousarray(column[order], np.uint32) for column in columns)
    if shown:
        shown.finish()
    return _llamafur.PortableModel.naive(num_pages, (pairs[0], pairs[1], pairs[2]), names, _learnt("naive", {}))


def _count_pairs(batches: Batches) -> Batches:
    counter = _llamafur.PairCounter()
    for batch in batches:
        counter.add(batch.select(["source_categories", "target_categories"]))
        if len(counter) > MOST_PAIRS:
            yield one_batch(counter.take())
    yield one_batch(counter.take())


@dataclass
class _Conf:
    partitions: int
    rounds: int
    rank: int
    #: 0 for the default.
    ensemble: int
    seed: int
    held_out: float

    def learning(self, member: int) -> dict[str, Any]:
        """One pass of a member, as the extension takes it."""
        seed = (self.seed + member) % 2**64
        numbers = {"rank": self.rank, "ensemble": 1, "seed": seed, "passes": 1, "aggressiveness": None}
        return {"method": "factored", **numbers, "held_out": 0.0}


def _factored(
    links: DataFrame,
    carried: DataFrame,
    pages: DataFrame | None,
    names: list[str],
    conf: _Conf,
    shown: Display | None,
) -> _llamafur.PortableModel:
    spark = links.sparkSession
    graph = _Graph(links, carried, pages, conf, len(names))
    try:
        if conf.ensemble == 0:
            # As on one machine, which makes 5 passes by default.
            is_small = 4 * 2 * 5 * graph.num_links <= MOST_EXAMPLES and 4 * conf.rank <= 4096
            conf.ensemble = 4 if is_small else 1
        steps = conf.rounds * (2 if conf.held_out else 1)
        if shown:
            shown.start(f"learning (factored, {conf.partitions} partitions)", steps, "")
        measured = None
        if conf.held_out:
            without = _Rounds(spark, graph, names, conf, conf.held_out).run(shown)
            measured = without.measured()
        learnt = _Rounds(spark, graph, names, conf, 0.0).run(shown)
        if shown:
            shown.finish()
        return learnt.model(measured)
    finally:
        graph.forget()


class _Graph:
    """The links of each partition, by the numbers of the pages; what every page carries, on the workers."""

    def __init__(
        self, links: DataFrame, carried: DataFrame, pages: DataFrame | None, conf: _Conf, num_categories: int
    ) -> None:
        spark = links.sparkSession
        self.num_categories = num_categories
        named = links_of(links).distinct().persist(StorageLevel.DISK_ONLY)
        carried = carried.persist(StorageLevel.DISK_ONLY)
        all_pages = named.select("source").union(named.select("target")).union(carried.select("page"))
        if pages is not None:
            all_pages = all_pages.union(pages_of(pages))
        numbers = _Numbered(all_pages.toDF("page"))
        self.num_pages = numbers.num
        self._persisted = [named, numbers.frame, carried]
        if self.num_pages >= 2**31:
            raise ValueError(f"{self.num_pages} pages are more than can be numbered")
        lists = carried.join(numbers.frame, "page").select("number", "carried")
        self.carried = _carried(spark, lists, self.num_pages)
        numbered = (
            named.join(numbers.frame.withColumnRenamed("page", "source"), "source")
            .withColumnRenamed("number", "from")
            .join(numbers.frame.withColumnRenamed("page", "target"), "target")
            .select("from", F.col("number").alias("to"))
        )
        dealt = _dealt(numbered, conf.partitions)
        self.links = dealt.persist(StorageLevel.DISK_ONLY)
        self.num_links = self.links.count()
        self._persisted.append(self.links)
        if self.num_links == 0:
            raise ValueError("there is no link to learn from")

    def forget(self) -> None:
        for frame in self._persisted:
            frame.unpersist()
        _forget(self.carried)


class _Numbered:
    """Pages by their numbers: the ranks of their names in bytewise order, as in a corpus."""

    def __init__(self, pages: DataFrame) -> None:
        spark = pages.sparkSession
        # A sorted frame that is kept: the place of a row within its partition is the low 33 bits of this number.
        placed = pages.distinct().orderBy("page").withColumn("at", F.monotonically_increasing_id())
        placed = placed.persist(StorageLevel.DISK_ONLY)
        part = F.shiftright("at", 33)
        counts = placed.groupBy(part.alias("part")).count().orderBy("part").toArrow()
        if not len(counts):
            raise ValueError("there is no link to learn from")
        ends = np.cumsum(counts.column("count").to_numpy())
        before = pa.table({"part": counts.column("part"), "before": np.concatenate([[0], ends[:-1]]).astype(np.int64)})
        self.num = int(ends[-1])
        offsets = F.broadcast(spark.createDataFrame(before))
        number = (F.col("at").bitwiseAND(2**33 - 1) + F.col("before")).cast("int")
        numbered = placed.withColumn("part", part).join(offsets, "part").select("page", number.alias("number"))
        self.frame = numbered.persist(StorageLevel.DISK_ONLY)
        # Counted once while the sorted frame is there, so that no later job asks for that one again.
        self.frame.count()
        placed.unpersist()


def _carried(spark: SparkSession, lists: DataFrame, num_pages: int) -> tuple[Shipped, Shipped]:
    """Of every page where its categories begin, and all of them end to end, as arrays on the workers."""
    table = lists.orderBy("number").toArrow()
    numbers, carried = table.column("number"), table.column("carried").combine_chunks()
    lengths = np.zeros(num_pages + 1, np.int64)
    if len(table):
        lengths[numbers.to_numpy() + 1] = carried.value_lengths().to_numpy()
    values = carried.flatten().to_numpy(zero_copy_only=False) if len(table) else np.zeros(0)
    return ship_array(spark, np.cumsum(lengths)), ship_array(spark, values.astype(np.uint32))


def _dealt(links: DataFrame, partitions: int) -> DataFrame:
    """The links dealt to partitions by their sources, in order: columns part, from and to.

    Pages are hashed to slots, and slots and pages with many links go to the partition that has the fewest links so far, the largest
    first. So all depends on the pages and the number of partitions alone.
    """
    spark = links.sparkSession
    slot = F.pmod(F.hash("from"), F.lit(SLOTS * partitions))
    degrees = links.groupBy("from").count().withColumn("slot", slot).persist(StorageLevel.DISK_ONLY)
    total = degrees.agg(F.sum("count")).first()
    most = max(1, (total[0] or 0 if total else 0) // (4 * partitions))
    hubs = degrees.where(F.col("count") > most).select("from", "count").orderBy("from").toArrow().to_pylist()
    slots = degrees.where(F.col("count") <= most).groupBy("slot").agg(F.sum("count").alias("count")).orderBy("slot")
    weights = [(-hub["count"], 0, hub["from"]) for hub in hubs]
    weights += [(-row["count"], 1, row["slot"]) for row in slots.toArrow().to_pylist()]
    degrees.unpersist()
    loads = [0] * partitions
    part_of: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for weight, kind, which in sorted(weights):
        least = loads.index(min(loads))
        loads[least] -= weight
        part_of[kind][which] = least
    keys = _keys(spark, partitions)

    def table(kind: int, name: str) -> DataFrame:
        columns = {name: pa.array(list(part_of[kind]), pa.int32())}
        columns |= {f"part_of_{name}": pa.array(list(part_of[kind].values()), pa.int32())}
        return F.broadcast(spark.createDataFrame(pa.table(columns)))

    placed = links.withColumn("slot", slot).join(table(1, "slot"), "slot", "left")
    if part_of[0]:
        placed = placed.join(table(0, "from"), "from", "left")
    part = F.coalesce("part_of_from", "part_of_slot") if part_of[0] else F.col("part_of_slot")
    key = F.element_at(F.array(*[F.lit(key) for key in keys]), part + 1)
    dealt = placed.select(part.alias("part"), key.alias("key"), "from", "to")
    return dealt.repartition(partitions, "key").sortWithinPartitions("part", "from", "to").select("part", "from", "to")


def _keys(spark: SparkSession, partitions: int) -> list[int]:
    """A number for each partition that Spark hashes to it, so that each is a task of its own."""
    found: dict[int, int] = {}
    upper = 16 * partitions
    while len(found) < partitions:
        numbers = spark.range(upper).select(F.col("id").cast("int").alias("key"))
        rows = numbers.select("key", F.pmod(F.hash("key"), F.lit(partitions)).alias("part")).toArrow().to_pylist()
        for row in sorted(rows, key=lambda row: row["key"]):
            found.setdefault(row["part"], row["key"])
        upper *= 2
    return [found[part] for part in range(partitions)]


ROWS = "member int, side int, category int, part int, square float, row binary"


class _Rounds:
    """Learns the members of an ensemble side by side, a pass in each round."""

    def __init__(self, spark: SparkSession, graph: _Graph, names: list[str], conf: _Conf, held_out: float) -> None:
        self.spark, self.graph, self.names, self.conf, self.held_out = spark, graph, names, conf, held_out
        shape = (conf.ensemble, 2, graph.num_categories)
        self.rows = np.zeros((*shape, conf.rank), np.float32)
        self.squares = np.zeros(shape, np.float32)
        self.movement = np.zeros((*shape, conf.rank), np.float32)
        self.starts: list[Shipped] = []
        self.made = 0

    def run(self, shown: Display | None) -> _Rounds:
        for _ in range(self.conf.rounds):
            self.round()
            if shown:
                shown.advance(1)
        _forget(self.starts)
        return self

    def round(self) -> None:
        """One pass over all links, and the means of its rows."""
        learn = _Learn(self.graph, self.conf, self.starts, self.held_out)
        learnt = self.graph.links.mapInArrow(learn, ROWS)
        keys = ["member", "side", "category"]
        mixed = learnt.repartition(*keys).sortWithinPartitions(*keys, "part").mapInArrow(_Mix(self.conf.rank), ROWS)
        self._take(mixed.toArrow())
        self.made += 1
        before, self.starts = self.starts, []
        for member in range(self.conf.ensemble):
            self.starts.append(self._start(member, before[member] if before else None))
        _forget(before)

    def _take(self, table: pa.Table) -> None:
        """Moves the rows to their means, and on by half of their last movement."""
        member, side, category = (table.column(name).to_numpy() for name in ("member", "side", "category"))
        means = _matrix(table.column("row"), self.conf.rank)
        at = (member, side, category)
        if self.conf.partitions > 1:
            is_known = (self.squares[at] > 0)[:, None]
            movement = np.where(is_known, np.float32(MOMENTUM) * self.movement[at] + (means - self.rows[at]), np.float32(0))
            self.movement[:] = 0
            self.movement[at] = movement
            means = np.where(is_known, self.rows[at] + movement, means)
        self.rows[at] = means
        self.squares[at] = table.column("square").to_numpy()

    def _start(self, member: int, before: Shipped | None) -> Shipped:
        learnt = _learnt(figures={}, **{**self.conf.learning(member), "passes": self.made})
        tables = self._tables(member)
        model = _llamafur.PortableModel.of_tables("factored", tables, self.names, learnt)
        return Shipped(self.spark, lambda path: model.save(path, False), replaces=before)

    def _tables(self, member: int) -> dict[str, bytes]:
        tables = {name: self.rows[member, side].tobytes() for side, name in enumerate(SIDES)}
        return tables | {f"{name}_squares": self.squares[member, side].tobytes() for side, name in enumerate(SIDES)}

    def measured(self) -> str:
        """What the held-out links say of the model."""
        model = self.model(None)
        shipped = Shipped(self.spark, lambda path: model.save(path, False))
        count = _Measure(self.graph, self.conf, [shipped], self.held_out)
        counts = self.graph.links.mapInArrow(count, "links long, non_links long, hits long, false_alarms long")
        sums = counts.agg(*[F.sum(name).alias(name) for name in counts.columns]).toArrow().to_pylist()[0]
        shipped.forget()
        return _llamafur.held_out_of_counts(self.held_out, [int(sum or 0) for sum in sums.values()])

    def model(self, held_out: str | None) -> _llamafur.PortableModel:
        """The mean of the members."""
        conf = self.conf
        tables = self._tables(0)
        if conf.ensemble > 1:
            root = np.sqrt(np.float32(conf.ensemble))
            joint = [np.concatenate(list(self.rows[:, side] / root), axis=1) for side in range(2)]
            tables = {name: joint[side].tobytes() for side, name in enumerate(SIDES)}
        examples = 2 * self.graph.num_links * self.made * conf.ensemble
        learning = {**conf.learning(0), "ensemble": conf.ensemble, "passes": self.made}
        learnt = _learnt(figures={"examples": examples}, measured=held_out, **learning)
        return _llamafur.PortableModel.of_tables("factored", tables, self.names, learnt)


def _forget(shipped: Iterable[Shipped]) -> None:
    for one in shipped:
        one.forget()


def _matrix(column: Any, rank: int) -> Floats:
    """Rows of so many numbers, from a column of their bytes."""
    chunks = [np.frombuffer(b"".join(chunk.to_pylist()), np.float32) for chunk in getattr(column, "chunks", [column])]
    return np.concatenate(chunks or [np.zeros(0, np.float32)]).reshape(-1, rank)


class _OnParts:
    """Work on the links of each partition, with what all pages carry."""

    def __init__(self, graph: _Graph, conf: _Conf, starts: list[Shipped], held_out: float) -> None:
        self.carried, self.num_pages, self.num_categories = graph.carried, graph.num_pages, graph.num_categories
        self.conf, self.starts, self.held_out = conf, starts, held_out

    def parts(self, batches: Batches) -> list[tuple[int, npt.NDArray[np.int32], npt.NDArray[np.int32]]]:
        """The number, sources and targets of each partition that there is."""
        columns: tuple[list[Any], ...] = ([], [], [])
        for batch in batches:
            for place in range(3):
                columns[place].append(batch.column(place).to_numpy(zero_copy_only=False).astype(np.int32))
        if not columns[0]:
            return []
        part, sources, targets = (np.concatenate(column) for column in columns)
        starts = np.flatnonzero(np.diff(part, prepend=-1)).tolist()
        ends = [*starts[1:], len(part)]
        return [(int(part[start]), sources[start:end], targets[start:end]) for start, end in zip(starts, ends, strict=True)]

    def lists(self, sources: npt.NDArray[np.int32], targets: npt.NDArray[np.int32]) -> tuple[Any, Any]:
        """The links of all pages, of which those of other partitions have none."""
        offsets = np.zeros(self.num_pages + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=self.num_pages), out=offsets[1:])
        return offsets, targets.astype(np.uint32)

    def split(self, links: tuple[Any, Any], carried: tuple[Any, Any]) -> tuple[tuple[Any, Any], list[Any]]:
        """The links to learn from, and the pairs to measure on."""
        conf = self.conf
        offsets, values, pairs = _llamafur.split_links(links, carried, self.num_categories, self.held_out, conf.seed)
        training = (np.frombuffer(offsets, np.int64), np.frombuffer(values, np.uint32))
        return training, [np.frombuffer(pair, np.uint32) for pair in pairs]


class _Learn(_OnParts):
    """A pass over the links of a partition: the rows that it has touched."""

    def __call__(self, batches: Batches) -> Batches:
        carried = (self.carried[0].array(), self.carried[1].array())
        for part, sources, targets in self.parts(batches):
            links = self.lists(sources, targets)
            if self.held_out:
                links = self.split(links, carried)[0]
            if not len(links[1]):
                continue
            for member in range(self.conf.ensemble):
                yield from self.learn(part, member, links, carried)

    def learn(self, part: int, member: int, links: tuple[Any, Any], carried: tuple[Any, Any]) -> Batches:
        learning = self.conf.learning(member)
        before: list[Floats] = [np.zeros(self.num_categories, np.float32)] * 2
        if self.starts:
            start = self.starts[member].open()
            squares = start.squares()
            assert squares is not None, "a model that training continues from"
            before = [np.frombuffer(square, np.float32) for square in squares]
            learnt = start.fit(links, carried, learning)
        else:
            learnt = _llamafur.Learnt.fit(links, carried, self.num_categories, learning, None, None)
        tables = {name: np.frombuffer(table, np.float32) for name, _, table in learnt.tables()[1]}
        for side, name in enumerate(SIDES):
            squares_now = tables[f"{name}_squares"]
            touched = np.flatnonzero(squares_now != before[side])
            rows = tables[name].reshape(-1, self.conf.rank)
            for some in np.array_split(touched, max(1, len(touched) // 100_000)):
                yield _rows(member, side, some, part, squares_now[some], rows[some])


class _Measure(_OnParts):
    """How a model takes the held-out pairs of a partition."""

    def __call__(self, batches: Batches) -> Batches:
        carried = (self.carried[0].array(), self.carried[1].array())
        model = self.starts[0].open()
        counts = np.zeros(4, np.int64)
        for _, sources, targets in self.parts(batches):
            _, pairs = self.split(self.lists(sources, targets), carried)
            answer = model.expectedness(carried, pairs[0], pairs[1], "mean")
            scores = np.nan_to_num(np.frombuffer(answer, np.float64))
            is_link, is_taken = pairs[2] == 1, scores > 0
            counts += [
                is_link.sum(), (~is_link).sum(), (is_link & is_taken).sum(), (~is_link & is_taken).sum()
            ]
        names = ["links", "non_links", "hits", "false_alarms"]
        yield pa.RecordBatch.from_arrays([pa.array([count], pa.int64()) for count in counts.tolist()], names)


class _Mix:
    """The mean of each row over the partitions that have touched it; rows come in order, those of one row together."""

    def __init__(self, rank: int) -> None:
        self.rank = rank

    def __call__(self, batches: Batches) -> Batches:
        whole = list(batches)
        if not sum(len(batch) for batch in whole):
            return
        table = pa.Table.from_batches(whole)
        keys = np.stack([table.column(name).to_numpy() for name in ("member", "side", "category")])
        starts = np.flatnonzero(np.any(np.diff(keys, axis=1, prepend=-1), axis=0))
        parts = np.diff(starts, append=table.num_rows).astype(np.float64)
        rows = _matrix(table.column("row"), self.rank).astype(np.float64)
        means = np.add.reduceat(rows, starts, axis=0) / parts[:, None]
        squares = np.add.reduceat(table.column("square").to_numpy().astype(np.float64), starts) / parts
        member, side, category = keys[:, starts]
        columns = [member, side, category, np.zeros(len(starts), np.int32), squares.astype(np.float32)]
        arrays = [pa.array(column) for column in columns]
        yield pa.RecordBatch.from_arrays([*arrays, _binary(means.astype(np.float32))], [name.split()[0] for name in ROWS.split(", ")])


def _rows(
    member: int, side: int, categories: npt.NDArray[Any], part: int, squares: Floats, rows: Floats
) -> pa.RecordBatch:
    """Rows of a table, as the workers hand them on."""
    num = len(categories)
    columns = [np.full(num, member), np.full(num, side), categories, np.full(num, part)]
    arrays = [pa.array(column.astype(np.int32)) for column in columns]
    names = [name.split()[0] for name in ROWS.split(", ")]
    return pa.RecordBatch.from_arrays([*arrays, pa.array(squares), _binary(rows)], names)


def _binary(rows: Floats) -> pa.Array:
    """Each row as its bytes."""
    width, num = 4 * rows.shape[1], len(rows)
    offsets = pa.py_buffer(np.arange(0, width * (num + 1), width, dtype=np.int32).tobytes())
    return pa.Array.from_buffers(pa.binary(), num, [None, offsets, pa.py_buffer(np.ascontiguousarray(rows).tobytes())])
