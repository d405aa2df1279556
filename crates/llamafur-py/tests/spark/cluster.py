"""A real standalone Spark on the loopback interface, whose workers can be killed as if their hosts died.

Every process that a worker starts (its executor, that executor's Python processes) belongs to the worker's session of the operating
system, which is how they are all found. Each worker has an address of its own (127.0.0.2 and on) and its own disk (a folder), which is
removed when the worker is killed: blocks of a shuffle are fetched over the network, and are lost with their host.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyspark
from pyspark.sql import SparkSession

T = TypeVar("T")

HOME = Path(pyspark.__file__).parent
HERE = Path(__file__).parent

# No wait is longer, in seconds. A start takes two or three where the machine is idle.
LIMIT = 300.0
JOB_LIMIT = 600.0
PAUSE = 0.02
# What the driver was told and has not yet counted, it has after so long.
SETTLED = 0.1
# So many tasks before the kill the workers run for shorter moments.
NEAR = 4


def wait_until(condition: Callable[[], T], what: str, limit: float = LIMIT) -> T:
    """What the condition gives once that is true, asked again and again."""
    end = time.monotonic() + limit
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise TimeoutError(f"waited {limit:.0f} s in vain: {what}")
        time.sleep(PAUSE)


@dataclass
class Daemon:
    """A master or a worker: the first process of a session of its own."""

    process: subprocess.Popen[bytes]
    log: Path
    folder: Path
    host: str

    @property
    def is_running(self) -> bool:
        """Whether it has not ended."""
        return self.process.poll() is None

    def session(self) -> list[int]:
        """The processes that it started, directly or not, and itself."""

        def is_of_session(process: int) -> bool:
            try:
                return os.getsid(process) == self.process.pid
            except ProcessLookupError:
                return False

        return [int(name) for name in os.listdir("/proc") if name.isdigit() and is_of_session(int(name))]

    def kill(self) -> None:
        """Kills all of its session with -9, and removes its folder."""

        def all_killed() -> bool:
            # Again and again: one of them may just have started another. Who is dead but not waited for is no longer of the session.
            processes = self.session()
            for process in processes:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.poll()
            return not processes

        wait_until(all_killed, f"processes of {self.host} are to end")
        self.process.wait(LIMIT)
        shutil.rmtree(self.folder, ignore_errors=True)


class Cluster:
    """A master and workers with one core each."""

    def __init__(self, folder: Path, workers: int = 2, memory: str = "2g") -> None:
        self.folder = folder
        self.memory = memory
        self.workers: list[Daemon] = []
        self._started = 0
        self._session: SparkSession | None = None
        self._master = self._start("master.Master", "127.0.0.1", "--port", "0", "--webui-port", "0")
        try:
            self.url = self._logged(self._master, r"Starting Spark master at (spark://\S+)")
            self._json = self._logged(self._master, r"MasterWebUI.* at (http://\S+)") + "/json/"
            for _ in range(workers):
                self.start_worker()
        except BaseException:
            self.stop()
            raise

    def _start(self, name: str, host: str, *arguments: str) -> Daemon:
        """A process of Spark by the end of its class's name, which dies with this one."""
        folder = self.folder / host
        (folder / "scratch").mkdir(parents=True)
        (self.folder / "conf").mkdir(exist_ok=True)
        log = self.folder / f"{host}.log"
        environment = {
            **os.environ,
            "SPARK_HOME": str(HOME),
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_IP": host,
            "SPARK_LOCAL_DIRS": str(folder / "scratch"),
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_NO_DAEMONIZE": "1",
        }
        command = [str(HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--host", host, *arguments]
        if shutil.which("setpriv"):
            command = ["setpriv", "--pdeathsig", "KILL", *command]
        with log.open("wb") as out:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
                env=environment,
                cwd=folder,
                start_new_session=True,
            )
        return Daemon(process, log, folder, host)

    def _logged(self, daemon: Daemon, pattern: str) -> str:
        """What the process's log says, as soon as it does."""

        def found() -> str | None:
            text = daemon.log.read_text(errors="replace")
            if not daemon.is_running:
                raise RuntimeError(f"Spark at {daemon.host} ended:\n{text}")
            match = re.search(pattern, text)
            return match and match[1]

        try:
            return wait_until(found, f"the log of {daemon.host} is to say {pattern!r}") or ""
        except TimeoutError as error:
            raise RuntimeError(f"{error}\n{self.logs()}") from error

    def _alive(self) -> set[str]:
        """The hosts that the master counts on."""
        with urllib.request.urlopen(self._json, timeout=LIMIT) as answer:
            workers: list[dict[str, Any]] = json.load(answer)["workers"]
        return {worker["host"] for worker in workers if worker["state"] == "ALIVE"}

    def start_worker(self) -> None:
        """One more worker; ends when the master knows it and the session, if there is one, has its executor."""
        self._started += 1
        host = f"127.0.0.{self._started + 1}"
        arguments = ["--cores", "1", "--memory", self.memory, "--webui-port", "0"]
        arguments += ["--work-dir", str(self.folder / host / "work")]
        worker = self._start("worker.Worker", host, *arguments, self.url)
        self.workers.append(worker)
        self._logged(worker, "(Successfully registered with master)")
        wait_until(lambda: host in self._alive(), f"the master is to know {host}")
        self._wait_for_executors()

    def kill_worker(self, worker: Daemon | None = None) -> None:
        """Kills a worker (the oldest), its executor and their Python processes with -9; ends when the master has noticed."""
        worker = worker or self.workers[0]
        self.workers.remove(worker)
        worker.kill()
        wait_until(lambda: worker.host not in self._alive(), f"the master is to miss {worker.host}")

    def session(self, **settings: str) -> SparkSession:
        """The session on this cluster; the first call decides on its settings, `spark.` left out and `_` for `.`."""
        if self._session is None:
            os.environ["PYSPARK_PYTHON"] = sys.executable
            os.environ["SPARK_HOME"] = str(HOME)
            os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
            os.environ["SPARK_CONF_DIR"] = str(self.folder / "conf")
            builder = SparkSession.builder.master(self.url).appName("llamafur tests")
            values = {
                "spark.driver.host": "127.0.0.1",
                "spark.driver.bindAddress": "127.0.0.1",
                "spark.driver.memory": "1g",
                "spark.executor.memory": "1536m",
                "spark.executorEnv.PYTHONPATH": str(HERE),
                "spark.local.dir": str(self.folder / "driver"),
                "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
                "spark.sql.shuffle.partitions": "2",
                "spark.sql.execution.arrow.pyspark.enabled": "true",
                "spark.ui.enabled": "false",
                # What the driver knows of tasks is asked for; it is to be the latest.
                "spark.ui.liveUpdate.period": "0",
                "spark.ui.retainedStages": "100000",
                "spark.ui.showConsoleProgress": "false",
                # Tests run their code a few times: to compile it quickly counts more than to have it quick.
                "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1",
                "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1",
                **{f"spark.{name.replace('_', '.')}": value for name, value in settings.items()},
            }
            for name, value in values.items():
                builder = builder.config(name, value)
            self._session = builder.getOrCreate()
            self._wait_for_executors()
        return self._session

    def _running(self) -> dict[str, int]:
        """Of each host that has an executor for the session, how many tasks it runs."""
        assert self._session is not None
        context: Any = self._session.sparkContext
        infos = context._jsc.sc().statusTracker().getExecutorInfos()
        executors = {info.host(): info.numRunningTasks() for info in infos}
        return {worker.host: executors[worker.host] for worker in self.workers if worker.host in executors}

    def _tasks(self) -> tuple[int, int]:
        """How many tasks of the session have ended, and how many were lost."""
        assert self._session is not None
        context: Any = self._session.sparkContext
        java = context._gateway
        quantiles, statuses = java.new_array(java.jvm.double, 0), java.jvm.java.util.ArrayList()
        context._jsc.sc().listenerBus().waitUntilEmpty()
        stages = context._jsc.sc().statusStore().stageList(None, False, False, quantiles, statuses)
        found = [stages.apply(place) for place in range(stages.size())]
        return sum(stage.numCompleteTasks() for stage in found), sum(stage.numFailedTasks() for stage in found)

    def _wait_for_executors(self) -> None:
        if self._session is not None:
            all_there = lambda: len(self._running()) == len(self.workers)  # noqa: E731
            wait_until(all_there, "every worker is to have an executor")

    def kill_during(self, job: Callable[[], T], after_tasks: int = 0) -> T:
        """The result of a job, during which a worker that runs a task for it was killed and another one started.

        The kill happens when so many of the job's tasks have ended and at least one runs on the worker. Until then the workers run for a
        moment at a time and are halted in between, so that what is seen of them holds until it is acted on, however fast the machine.
        Fails if the job ended before, or if none of its tasks was lost: then the job is too small to show anything.
        """
        assert self._session is not None, "needs a session"

        before, ended = self._tasks(), 0

        def seen() -> tuple[int, dict[str, int]]:
            """How many tasks of the job have ended, and each worker runs, when the driver has heard all that the workers said."""
            last = None
            while True:
                now = self._tasks()[0] - before[0], self._running()
                if now == last:
                    return now
                last = now
                time.sleep(SETTLED)

        def victim() -> Daemon | None:
            """A worker to kill, if it is time to. All workers are halted then."""
            nonlocal ended
            if future.done():
                future.result()
                raise AssertionError(f"the job ended before a worker could be killed: {ended} tasks")
            self._signal(signal.SIGCONT)
            time.sleep(PAUSE if ended + NEAR >= after_tasks else 10 * PAUSE)
            self._signal(signal.SIGSTOP)
            ended, running = seen()
            if ended < after_tasks:
                return None
            return next((worker for worker in self.workers if running.get(worker.host)), None)

        with ThreadPoolExecutor(1) as thread:
            self._signal(signal.SIGSTOP)
            future = thread.submit(job)
            try:
                worker = wait_until(victim, "a worker is to run a task", JOB_LIMIT)
                assert worker is not None
                self.kill_worker(worker)
                assert not future.done(), "the job ended when its worker was killed"
                self._signal(signal.SIGCONT)
                self.start_worker()
                result = future.result(JOB_LIMIT)
            except BaseException:
                self._signal(signal.SIGCONT)
                self._session.sparkContext.cancelAllJobs()
                raise
        assert self._tasks()[1] > before[1], "no task was lost with the worker"
        return result

    def _signal(self, number: signal.Signals) -> None:
        """Sends a signal to every process of every worker."""
        for process in [process for worker in self.workers for process in worker.session()]:
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def logs(self) -> str:
        """The last lines of every log, of executors too."""
        files = sorted(self.folder.glob("*.log")) + sorted(self.folder.glob("*/work/*/*/stderr"))
        ends = ["\n".join(file.read_text(errors="replace").splitlines()[-40:]) for file in files]
        return "\n".join(f"== {file.relative_to(self.folder)}\n{end}" for file, end in zip(files, ends, strict=True))

    def stop(self) -> None:
        """Ends the session and every process."""
        try:
            if self._session is not None:
                self._session.stop()
        finally:
            for daemon in [*self.workers, self._master]:
                daemon.kill()
            self.workers.clear()
