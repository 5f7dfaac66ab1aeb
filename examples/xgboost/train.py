"""Trains boosted trees with XGBoost on data that it makes itself, together with all pods of the job.

The operator sets MASTER_ADDR, MASTER_PORT, WORLD_SIZE and RANK. The pod of rank 0, the Master, runs XGBoost's tracker at that
address, through which all pods find each other, and trains as well. Each pod has its share of the rows. Without these variables
the program trains alone.

Lines meant to be read by programs:

    worker 0 of 3 joined
    epoch 3/30 loss 0.1234 workers 3
    workers agree
    done loss 2.1234 -> 0.0123 workers 3
"""

import os
import signal
import threading


def end_on_sigterm():
    """Ends at once when the pod is deleted. The first process of a container has no default reaction to the signal, and a
    Python handler would wait for as long as XGBoost waits for other workers: a thread of its own does neither."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


# Before numpy and XGBoost are loaded: they start threads, any of which would otherwise take the signal.
end_on_sigterm()

import argparse  # noqa: E402
import hashlib  # noqa: E402
import socket  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402
import xgboost  # noqa: E402
from xgboost import collective  # noqa: E402
from xgboost.core import XGBoostError  # noqa: E402
from xgboost.tracker import RabitTracker  # noqa: E402

FEATURES = 8
SAMPLES = 4096
LIMIT_SECONDS = 300
# XGBoost waits longer before each try: four minutes in all.
CONNECT_TRIES = 16


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "30")), help="number of trees")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    return parser.parse_args()


def wait_for_name(host):
    """A pod's name resolves when the pod has its address, which may be later than the start of this pod."""
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        try:
            return socket.gethostbyname(host)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(1)


def start_tracker(port, world):
    """Only in rank 0. The tracker ends when all workers have left. After a restart in the same pod its port is in use for up to a
    minute, by closed connections of the former tracker."""
    own = socket.gethostbyname(socket.gethostname())
    deadline = time.monotonic() + LIMIT_SECONDS
    while True:
        try:
            tracker = RabitTracker(n_workers=world, host_ip=own, port=port, sortby="task")
            tracker.start()
            return tracker
        except XGBoostError:
            if time.monotonic() > deadline:
                raise
            time.sleep(2)


def synthetic_data():
    """A smooth function of eight features with a little noise; the same on each worker."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES)
    direction = random.randn(FEATURES)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + 0.02 * random.randn(SAMPLES)
    return inputs, targets


def check_agreement(booster, rank):
    """Fails unless all workers end with the same trees, to the last bit."""
    digest = np.frombuffer(hashlib.sha256(booster.save_raw("ubj")).digest(), dtype=np.int64)
    least = collective.allreduce(digest, collective.Op.MIN)
    most = collective.allreduce(digest, collective.Op.MAX)
    if not np.array_equal(least, most):
        raise SystemExit(f"worker {rank}: the workers' trees differ")
    if rank == 0:
        print("workers agree", flush=True)


def train(options, rank, world):
    print(f"worker {rank} of {world} joined", flush=True)
    inputs, targets = synthetic_data()
    rows = xgboost.DMatrix(inputs[rank::world], targets[rank::world])
    everything = xgboost.DMatrix(inputs)
    first_loss = loss = float(np.var(targets))
    booster = xgboost.Booster({"tree_method": "hist", "max_depth": 4, "eta": 0.3, "nthread": 1}, [rows])
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        booster.update(rows, epoch - 1)
        loss = float(np.mean((booster.predict(everything) - targets) ** 2))
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {world}", flush=True)
    check_agreement(booster, rank)
    if rank == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {world}", flush=True)


def main():
    options = arguments()
    world = int(os.environ.get("WORLD_SIZE", "1"))
    rank = int(os.environ.get("RANK", "0"))
    host, port = os.environ.get("MASTER_ADDR", socket.gethostname()), int(os.environ.get("MASTER_PORT", "0"))
    tracker = start_tracker(port, world) if rank == 0 else None
    at = {"dmlc_tracker_uri": wait_for_name(host), "dmlc_tracker_port": port}
    if tracker is not None:
        at = tracker.worker_args()
    with collective.CommunicatorContext(**at, dmlc_task_id=f"{rank:06d}", dmlc_retry=CONNECT_TRIES):
        train(options, collective.get_rank(), collective.get_world_size())
    if tracker is not None:
        tracker.wait_for()


if __name__ == "__main__":
    main()
