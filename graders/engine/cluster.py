"""A Dask cluster that is already there, as a place to grade. Each of its workers keeps warm, isolated servers of its own.

A worker that is lost costs time and no grade: Dask gives its jobs, and the parcel if that was lost too, to another one.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from graders.engine import layers
from graders.engine.parcel import Parcel, forget
from graders.engine.pool import Pool, elsewhere
from graders.model import KitError

CONNECT_SECONDS = 10
WORKERS_SECONDS = 60
LEAST_AHEAD = 64  # jobs handed out at once, for workers that join later


@contextmanager
def on_cluster(address: str, parcel: Parcel) -> Iterator[Pool]:
    """The cluster whose scheduler answers at this address. Raises KitError where none does, or where its workers cannot grade."""
    client = _connect(address)
    try:
        # The parcel is a task's result and not scattered data, which would be gone for good with the workers that hold it.
        there: Any = client.submit(_same, parcel, pure=False)
        threads = sum(client.nthreads().values())
        try:
            pool = elsewhere(client.get_executor(pure=False), there, max(LEAST_AHEAD, 4 * threads))
        except KitError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a machine of somebody else's lacks
            raise KitError(f"a worker of the cluster cannot grade ({type(error).__name__}: {error}); install this kit's release there") from None
        _demand_closed(parcel.isolation, pool.isolation)
        yield pool
    finally:
        with contextlib.suppress(Exception):  # whatever became of the cluster, the grades are here
            client.run(forget, on_error="ignore")
        client.close()


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise KitError("--cluster needs Dask; install it with: pip install 'residual-kit[cluster]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters is told by the grader, in a sentence
    try:
        client: Any = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise KitError(f"no Dask scheduler answers at {address} ({type(error).__name__}); give its address, such as tcp://10.0.0.1:8786") from None
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError:
        client.close()
        raise KitError(f"the cluster at {address} has no worker; start some with: dask worker {address}") from None
    return client


def _demand_closed(asked: str, isolation: str) -> None:
    """Whoever reaches the scheduler runs what they like on all its workers, so students' code must not reach it."""
    if asked != "basic" and {"namespaces", "seccomp"} <= layers.lost(isolation):
        raise KitError(
            f"the workers' isolation ({isolation}) would let students' code reach the cluster's scheduler; "
            "run `python -m graders doctor` there, or ask for --isolation basic where that is no harm"
        )


def _same(parcel: Parcel) -> Parcel:
    return parcel
