"""Trains a linear model on data it makes itself, with one Ray actor on each node.

Every actor holds a share of the data. In each step all of them give the gradient of their share for the same weights, and
the driver takes the mean: synchronous data parallelism. Then the driver trains once more, alone and on all the data, and
ends with an error unless both come to the same loss.

The actors' places are a placement group with STRICT_SPREAD, so no two share a node, and where nodes are missing they wait
(an autoscaler adds nodes for them). An actor whose node is lost is restarted on another one, and the step goes on.

Lines meant to be read by programs:

    epoch 3/10 loss 0.1234 workers 3
    same as alone
    done loss 2.1234 -> 0.0123 workers 3
"""

import argparse
import math
import os
import time

import numpy as np
import ray
from ray.util.placement_group import placement_group
from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

FEATURES = 8
SAMPLES = 1536
STEPS_PER_EPOCH = 5
LEARNING_RATE = 0.05


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--workers", type=int, default=int(setting("WORKERS", "3")), help="actors, each on a node of its own"
    )
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "10")))
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    return parser.parse_args()


def synthetic_data():
    """A linear function of eight features with a little noise; the same in each process."""
    random = np.random.default_rng(1)
    inputs = random.normal(size=(SAMPLES, FEATURES))
    targets = inputs @ random.normal(size=FEATURES) + 0.05 * random.normal(size=SAMPLES)
    return inputs, targets


def loss_of(weights, inputs, targets):
    """Mean squared error."""
    return float(np.mean((inputs @ weights - targets) ** 2))


def gradient_of(weights, inputs, targets):
    return 2 * inputs.T @ (inputs @ weights - targets) / len(targets)


@ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=-1)
class Worker:
    """Holds its share of the data and nothing else, so one that is restarted goes on where the former was."""

    def __init__(self, rank, workers):
        inputs, targets = synthetic_data()
        self.inputs, self.targets = inputs[rank::workers], targets[rank::workers]

    def gradient(self, weights):
        return gradient_of(weights, self.inputs, self.targets)

    def node(self):
        return ray.get_runtime_context().get_node_id()


def start_workers(count):
    """One worker on each of `count` nodes; waits until there are that many."""
    if SAMPLES % count:
        raise SystemExit(f"{SAMPLES} samples cannot be shared evenly by {count} workers")
    group = placement_group([{"CPU": 1}] * count, strategy="STRICT_SPREAD")
    while not group.wait(timeout_seconds=5):
        print(f"waiting for {count} nodes", flush=True)
    workers = [
        Worker.options(
            scheduling_strategy=PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=rank)
        ).remote(rank, count)
        for rank in range(count)
    ]
    nodes = ray.get([worker.node.remote() for worker in workers])
    if len(set(nodes)) != count:
        raise SystemExit(f"workers share nodes: {nodes}")
    return workers


def train(weights, gradient, epochs, after_epoch):
    """Plain gradient descent; returns the weights it comes to."""
    for epoch in range(1, epochs + 1):
        started = time.monotonic()
        for _ in range(STEPS_PER_EPOCH):
            weights = weights - LEARNING_RATE * gradient(weights)
        after_epoch(epoch, weights, started)
    return weights


def main():
    options = arguments()
    ray.init()
    workers = start_workers(options.workers)
    count = len(workers)
    inputs, targets = synthetic_data()

    def mean_gradient(weights):
        return np.mean(ray.get([worker.gradient.remote(weights) for worker in workers]), axis=0)

    def report(epoch, weights, started):
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        loss = loss_of(weights, inputs, targets)
        print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {count}", flush=True)

    start = np.zeros(FEATURES)
    together = loss_of(train(start, mean_gradient, options.epochs, report), inputs, targets)
    alone = loss_of(
        train(start, lambda weights: gradient_of(weights, inputs, targets), options.epochs, lambda *_: None), inputs, targets
    )
    # Equal but for the order in which the shares are summed.
    if not math.isclose(together, alone, rel_tol=1e-9):
        raise SystemExit(f"{count} workers come to a loss of {together}, one process to {alone}")
    print("same as alone", flush=True)
    print(f"done loss {loss_of(start, inputs, targets):.4f} -> {together:.4f} workers {count}", flush=True)


if __name__ == "__main__":
    main()
