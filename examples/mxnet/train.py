"""Trains a two-layer network on data it makes itself; the parameters live on the job's servers.

All roles run this one program. The operator says through DMLC_ROLE which one a pod has: in the scheduler and in servers
`import mxnet` does the role's work until the workers are done, then ends the process with 0. Only workers get past it.

KVSTORE chooses how workers meet: with dist_sync a server waits for the gradients of all of them before each update, with
dist_async it takes every gradient as it comes. Without DMLC_ROLE the program trains alone.

Lines meant to be read by programs:

    epoch 3/10 loss 0.1234 workers 2
    workers agree
    done loss 2.1234 -> 0.0123 workers 2
"""

import argparse
import os
import signal
import threading
import time


def end_on_sigterm():
    """Ends at once when the pod is deleted. The first process of a container has no default reaction to the signal, and
    inside MXNet no Python handler would be called: a thread of its own needs neither."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


# Both before MXNet is loaded: scheduler and servers never come back from that, and several pods share the cores of one
# machine in the examples.
end_on_sigterm()
os.environ.setdefault("OMP_NUM_THREADS", "1")
print(f"role {os.environ.get('DMLC_ROLE', 'none')}", flush=True)

import mxnet as mx  # noqa: E402
import numpy as np  # noqa: E402
from mxnet import autograd, gluon  # noqa: E402

FEATURES = 8
SAMPLES = 4096


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    alone = "DMLC_ROLE" not in os.environ
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kvstore", default=setting("KVSTORE", "local" if alone else "dist_sync"))
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "10")))
    parser.add_argument("--batch-size", type=int, default=32, help="samples per worker and step")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    return parser.parse_args()


def synthetic_data():
    """A smooth function of eight features with a little noise; the same on each worker."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES).astype(np.float32)
    direction = random.randn(FEATURES).astype(np.float32)
    noise = 0.02 * random.randn(SAMPLES).astype(np.float32)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + noise
    return mx.nd.array(inputs), mx.nd.array(targets.reshape(-1, 1))


def build_network():
    """Seeded, although it need not be: the servers take the parameters of rank 0, and all workers begin with those."""
    mx.random.seed(0)
    network = gluon.nn.HybridSequential()
    network.add(gluon.nn.Dense(64, activation="tanh", in_units=FEATURES), gluon.nn.Dense(1, in_units=64))
    network.initialize(mx.init.Xavier())
    network.hybridize()
    return network


def total_loss(network, inputs, targets):
    """Mean squared error over all the data."""
    return float(((network(inputs) - targets) ** 2).mean().asscalar())


class ParameterStore:
    """The network's parameters on the servers, which also run the optimizer: workers push gradients, pull parameters."""

    def __init__(self, network, kvstore, learning_rate):
        self.store = mx.kvstore.create(kvstore)
        self.parameters = list(network.collect_params().values())
        self.store.set_optimizer(mx.optimizer.create("adam", learning_rate=learning_rate))
        for key, parameter in enumerate(self.parameters):
            self.store.init(key, parameter.data())
        self.pull()

    @property
    def rank(self):
        return self.store.rank

    @property
    def workers(self):
        return self.store.num_workers

    @property
    def reports(self):
        """Whether this worker prints for all. Its rank does not say: the worker that finds the scheduler first is 0."""
        return int(os.environ.get("DMLC_WORKER_ID", self.rank)) == 0

    def push_gradients(self):
        for key, parameter in enumerate(self.parameters):
            self.store.push(key, parameter.grad(), priority=-key)

    def pull(self):
        for key, parameter in enumerate(self.parameters):
            self.store.pull(key, out=parameter.data(), priority=-key)

    def pull_final(self):
        """The parameters after the last gradient of the last worker: without the wait, dist_async gives earlier ones."""
        mx.nd.waitall()
        self.store._barrier()
        self.pull()

    def gather(self, vector):
        """Every worker's vector, by the servers: each worker adds its own row to a matrix of zeros."""
        self.store.set_optimizer(mx.optimizer.create("test"))
        rows = mx.nd.zeros((self.workers, vector.size))
        key = len(self.parameters)
        self.store.init(key, rows)
        rows[self.rank] = vector
        self.store.push(key, rows)
        mx.nd.waitall()
        self.store._barrier()
        self.store.pull(key, out=rows)
        return rows.asnumpy()


def train_epoch(network, store, inputs, targets, epoch, batch_size):
    """One pass over the data, each worker on its share of a common random order."""
    order = np.random.RandomState(epoch).permutation(SAMPLES)
    workers = store.workers
    # With dist_sync, all workers must take the same number of steps: the servers wait for gradients of each.
    for step in range(max(1, SAMPLES // (workers * batch_size))):
        start = (step * workers + store.rank) * batch_size
        batch = mx.nd.array(order[start : start + batch_size], dtype="int32")
        with autograd.record():
            loss = ((network(inputs.take(batch)) - targets.take(batch)) ** 2).mean() / workers
        loss.backward()
        store.push_gradients()
        store.pull()


def check_agreement(store):
    """Fails unless all workers end with the same parameters, to the last bit."""
    own = mx.nd.concat(*[parameter.data().reshape(-1) for parameter in store.parameters], dim=0)
    gathered = store.gather(own)
    if not all(np.array_equal(gathered[0], row) for row in gathered) or not np.array_equal(gathered[0], own.asnumpy()):
        raise SystemExit(f"worker {store.rank}: the workers' parameters differ")
    if store.reports:
        print("workers agree", flush=True)


def main():
    options = arguments()
    network = build_network()
    store = ParameterStore(network, options.kvstore, learning_rate=0.01)
    print(f"worker {store.rank} of {store.workers} joined", flush=True)
    inputs, targets = synthetic_data()
    first_loss = total_loss(network, inputs, targets)
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        train_epoch(network, store, inputs, targets, epoch, options.batch_size)
        if epoch == options.epochs:
            store.pull_final()
        loss = total_loss(network, inputs, targets)
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if store.reports:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {store.workers}", flush=True)
    check_agreement(store)
    if store.reports:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {store.workers}", flush=True)


if __name__ == "__main__":
    main()
