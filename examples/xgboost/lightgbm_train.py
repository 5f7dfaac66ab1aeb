"""Trains boosted trees with LightGBM on data that it makes itself, together with all pods of the job.

The operator sets the addresses of all pods: MASTER_ADDR and MASTER_PORT, and WORKER_ADDRS and WORKER_PORT. LightGBM gets them as
its list of machines, and finds this pod in it by its IP address. Each pod has its share of the rows. Without these variables the
program trains alone.

Lines meant to be read by programs:

    worker 0 of 3 joined
    epoch 3/30 loss 0.1234 workers 3
    model 2c26b46b68ffc68ff99b453c1d304134
    done loss 2.1234 -> 0.0123 workers 3
"""

# First: it ends the process on SIGTERM, and must do so before other modules start threads.
from train import arguments, synthetic_data, wait_for_name

import hashlib  # noqa: E402
import os  # noqa: E402
import socket  # noqa: E402
import time  # noqa: E402

import lightgbm  # noqa: E402
import numpy as np  # noqa: E402


def machines():
    """The address of every pod, in the order of ranks."""
    host, port = os.environ.get("MASTER_ADDR", socket.gethostname()), os.environ.get("MASTER_PORT", "12400")
    workers = [name for name in os.environ.get("WORKER_ADDRS", "").split(",") if name]
    worker_port = os.environ.get("WORKER_PORT", "")
    return [(host, port), *((name, worker_port) for name in workers)]


def main():
    options = arguments()
    rank = int(os.environ.get("RANK", "0"))
    world = int(os.environ.get("WORLD_SIZE", "1"))
    at = [(wait_for_name(host), port) for host, port in machines()]
    params = {
        "objective": "regression", "num_leaves": 8, "learning_rate": 0.3, "num_threads": 1, "verbosity": -1,
        "tree_learner": "data", "num_machines": world, "pre_partition": True,
        "machines": ",".join(f"{address}:{port}" for address, port in at), "local_listen_port": int(at[rank][1]),
    }
    inputs, targets = synthetic_data()
    rows = lightgbm.Dataset(inputs[rank::world], targets[rank::world], params=params)
    first_loss = loss = float(np.var(targets))
    # Connects to all other pods.
    booster = lightgbm.Booster(params, rows)
    print(f"worker {rank} of {world} joined", flush=True)
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        booster.update()
        loss = float(np.mean((booster.predict(inputs) - targets) ** 2))
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {world}", flush=True)
    trees = booster.model_to_string().split("\nparameters:")[0]
    print(f"model {hashlib.sha256(trees.encode()).hexdigest()[:32]}", flush=True)
    if rank == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {world}", flush=True)


if __name__ == "__main__":
    main()
