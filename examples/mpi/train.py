"""Trains a two-layer network on data it makes itself, on all ranks of the job: data-parallel SGD over MPI.

Every rank has a copy of the network and computes the gradient of its share of each batch; an allreduce adds them up. The
batches do not depend on the number of ranks, so any number must find the same network. Rank 0 proves it at the end: it
trains once more, alone, and compares.

Without mpirun the program trains alone.

Lines meant to be read by programs, all of rank 0; the last has more digits, and the hosts:

    epoch 3/10 loss 0.1234 workers 4
    workers agree
    same as alone
    done loss 2.1234 -> 0.0123 workers 4
    {"firstLoss": 2.1234, "lastLoss": 0.0123, "ranks": 4, "hosts": ["train-worker-0", "train-worker-1"]}
"""

import argparse
import json
import os
import socket
import time

# Several ranks share the cores of one machine in the examples. Before numpy is loaded, which reads it.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np  # noqa: E402
from mpi4py import MPI  # noqa: E402

FEATURES = 8
HIDDEN = 64
SAMPLES = 4096
LEARNING_RATE = 0.1
MOMENTUM = 0.9
# Sums of floats depend on their order: in double precision that is all by which any two numbers of ranks may differ.
TOLERANCE = 1e-9


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "10")))
    parser.add_argument("--batch-size", type=int, default=128, help="samples of all ranks together per step")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    return parser.parse_args()


def synthetic_data():
    """A smooth function of eight features with a little noise; the same on each rank."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES)
    direction = random.randn(FEATURES)
    noise = 0.02 * random.randn(SAMPLES)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + noise
    return inputs, targets.reshape(-1, 1)


class Network:
    """Eight features, 64 hidden units, one number. All weights are views of one vector, which takes one allreduce."""

    SHAPES = ((FEATURES, HIDDEN), (HIDDEN,), (HIDDEN, 1), (1,))

    def __init__(self):
        random = np.random.RandomState(0)
        first = [random.randn(*shape) * shape[0] ** -0.5 if len(shape) == 2 else np.zeros(shape) for shape in self.SHAPES]
        self.weights = np.concatenate([weight.ravel() for weight in first])
        self.velocity = np.zeros_like(self.weights)

    @classmethod
    def split(cls, vector):
        """The four weights as views of the vector."""
        ends = np.cumsum([np.prod(shape) for shape in cls.SHAPES])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(vector, ends), cls.SHAPES)]

    def loss(self, inputs, targets):
        """Mean squared error."""
        hidden, hidden_bias, output, output_bias = self.split(self.weights)
        return float(((np.tanh(inputs @ hidden + hidden_bias) @ output + output_bias - targets) ** 2).mean())

    def gradient_sum(self, inputs, targets):
        """The gradient of the squared error, added up over the samples: sums of shares are the sum of the whole."""
        hidden, hidden_bias, output, output_bias = self.split(self.weights)
        activations = np.tanh(inputs @ hidden + hidden_bias)
        errors = 2 * (activations @ output + output_bias - targets)
        inner = (errors @ output.T) * (1 - activations**2)
        parts = (inputs.T @ inner, inner.sum(0), activations.T @ errors, errors.sum(0))
        return np.concatenate([part.ravel() for part in parts])

    def step(self, gradient):
        self.velocity *= MOMENTUM
        self.velocity -= LEARNING_RATE * gradient
        self.weights += self.velocity


def train_epoch(network, world, inputs, targets, epoch, batch_size):
    """One pass over the data in an order that all ranks know; each rank takes every so-many-th sample of a batch."""
    order = np.random.RandomState(epoch).permutation(SAMPLES)
    for start in range(0, SAMPLES, batch_size):
        batch = order[start : start + batch_size]
        share = batch[world.rank :: world.size]
        gradient = network.gradient_sum(inputs[share], targets[share])
        world.Allreduce(MPI.IN_PLACE, gradient)
        network.step(gradient / len(batch))


def agree(network, world):
    """Whether all ranks have the same weights, to the last bit."""
    rows = np.empty((world.size, network.weights.size))
    world.Allgather(network.weights, rows)
    return bool((rows == rows[0]).all())


def trained_alone(epochs, batch_size):
    """The network that one process finds with the same data."""
    inputs, targets = synthetic_data()
    network = Network()
    for epoch in range(1, epochs + 1):
        train_epoch(network, MPI.COMM_SELF, inputs, targets, epoch, batch_size)
    return network


def check_result(network, world, epochs, batch_size):
    """Ends all ranks with an error unless they have the same network, and the one that a single process finds."""
    if not agree(network, world):
        print(f"rank {world.rank}: the ranks' weights differ", flush=True)
        world.Abort(1)
    if world.rank != 0:
        return
    print("workers agree", flush=True)
    difference = np.abs(network.weights - trained_alone(epochs, batch_size).weights).max()
    if not difference < TOLERANCE:
        print(f"the weights differ by {difference} from those that one process finds", flush=True)
        world.Abort(1)
    print("same as alone", flush=True)


def main():
    world = MPI.COMM_WORLD
    # The options come from rank 0: mpirun does not hand on the environment of its pod to other pods.
    options = world.bcast(arguments())
    hosts = world.gather(socket.gethostname())
    network = Network()
    inputs, targets = synthetic_data()
    first_loss = loss = network.loss(inputs, targets)
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        train_epoch(network, world, inputs, targets, epoch, options.batch_size)
        loss = network.loss(inputs, targets)
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if world.rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {world.size}", flush=True)
    check_result(network, world, options.epochs, options.batch_size)
    if world.rank == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {world.size}", flush=True)
        result = {"firstLoss": first_loss, "lastLoss": loss, "ranks": world.size, "hosts": sorted(set(hosts))}
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()
