"""Trains a small neural network with JAX on data that it makes itself, together with all pods of the job.

The operator sets JAX_COORDINATOR_ADDRESS, NUM_PROCESSES and PROCESS_ID. Process 0 starts JAX's coordinator at that address, and all
processes connect to it. Each process has its share of the samples; XLA averages the gradients over all of them with gloo. Without
these variables the program trains alone.

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
    """Ends at once when the pod is deleted. Otherwise JAX takes the signal, for programs that call
    multihost_utils.reached_preemption_sync_point, and the program trains on until it is killed."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


# Before numpy and JAX are loaded: they start threads, any of which would otherwise take the signal.
end_on_sigterm()

import argparse  # noqa: E402
import hashlib  # noqa: E402
import time  # noqa: E402
import traceback  # noqa: E402

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.experimental import multihost_utils  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec  # noqa: E402

FEATURES = 8
HIDDEN = 32
SAMPLES = 4096
STEPS_PER_EPOCH = 10
LEARNING_RATE = 0.01
LIMIT_SECONDS = 300


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "30")), help="number of epochs")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    parser.add_argument(
        "--heartbeat-seconds", type=int, default=int(setting("HEARTBEAT_SECONDS", "100")),
        help="after how many seconds without a sign of life JAX ends all processes",
    )
    return parser.parse_args()


def join(options):
    """JAX reads the address from JAX_COORDINATOR_ADDRESS, but not the other two values. It repeats the connection until process 0
    listens. Detection is switched off, because JAX would look for a Job or a JobSet of Kubernetes."""
    if "NUM_PROCESSES" not in os.environ:
        return
    jax.distributed.initialize(
        num_processes=int(os.environ["NUM_PROCESSES"]),
        process_id=int(os.environ["PROCESS_ID"]),
        cluster_detection_method="deactivate",
        initialization_timeout=LIMIT_SECONDS,
        heartbeat_timeout_seconds=options.heartbeat_seconds,
    )


def synthetic_data(rank, world):
    """A smooth function of eight features with a little noise: the share of this process."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES)
    direction = random.randn(FEATURES)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + 0.02 * random.randn(SAMPLES)
    share = SAMPLES // world
    own = slice(rank * share, (rank + 1) * share)
    return inputs[own].astype(np.float32), targets[own].astype(np.float32)


def initial_parameters():
    """The same in each process."""
    random = np.random.RandomState(2)
    sizes = (FEATURES, HIDDEN, HIDDEN, 1)
    return [
        (np.float32(random.randn(size, after) / np.sqrt(size)), np.zeros(after, np.float32))
        for size, after in zip(sizes, sizes[1:])
    ]


def loss_of(parameters, inputs, targets):
    values = inputs
    for weights, biases in parameters[:-1]:
        values = jnp.tanh(values @ weights + biases)
    weights, biases = parameters[-1]
    return jnp.mean(((values @ weights + biases)[:, 0] - targets) ** 2)


@jax.jit
def train_epoch(state, inputs, targets):
    """Some steps of Adam over all samples of all processes. Returns the loss before the last step as well."""

    def step(carried, _):
        parameters, means, squares, count = carried
        loss, gradients = jax.value_and_grad(loss_of)(parameters, inputs, targets)
        count = count + 1
        means = jax.tree.map(lambda mean, gradient: 0.9 * mean + 0.1 * gradient, means, gradients)
        squares = jax.tree.map(lambda square, gradient: 0.999 * square + 0.001 * gradient**2, squares, gradients)

        def moved(parameter, mean, square):
            return parameter - LEARNING_RATE * (mean / (1 - 0.9**count)) / (jnp.sqrt(square / (1 - 0.999**count)) + 1e-8)

        return (jax.tree.map(moved, parameters, means, squares), means, squares, count), loss

    state, losses = jax.lax.scan(step, state, length=STEPS_PER_EPOCH)
    return state, losses[0], losses[-1]


def check_agreement(parameters, rank):
    """Fails unless all processes end with the same parameters, to the last bit."""
    own = b"".join(np.asarray(part).tobytes() for layer in parameters for part in layer)
    digest = np.frombuffer(hashlib.sha256(own).digest(), dtype=np.uint8)
    digests = multihost_utils.process_allgather(digest, tiled=False).reshape(-1, digest.size)
    if not (digests == digest).all():
        raise RuntimeError(f"worker {rank}: the workers' parameters differ")
    if rank == 0:
        print("workers agree", flush=True)


def main():
    options = arguments()
    join(options)
    rank, world = jax.process_index(), jax.process_count()
    print(f"worker {rank} of {world} joined", flush=True)
    mesh = jax.make_mesh((jax.device_count(),), ("samples",))
    own_inputs, own_targets = synthetic_data(rank, world)
    by_sample = NamedSharding(mesh, PartitionSpec("samples"))
    inputs = jax.make_array_from_process_local_data(by_sample, own_inputs)
    targets = jax.make_array_from_process_local_data(by_sample, own_targets)
    everywhere = NamedSharding(mesh, PartitionSpec())
    parameters = initial_parameters()
    zeros = jax.tree.map(np.zeros_like, parameters)
    state = jax.device_put((parameters, zeros, zeros, np.float32(0)), everywhere)
    first_loss = last_loss = None
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        state, first, last = train_epoch(state, inputs, targets)
        last_loss = float(last)
        first_loss = float(first) if first_loss is None else first_loss
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {last_loss:.4f} workers {world}", flush=True)
    check_agreement(state[0], rank)
    if rank == 0:
        print(f"done loss {first_loss:.4f} -> {last_loss:.4f} workers {world}", flush=True)


def end_on_error(run):
    """Otherwise JAX waits at the end of a failed process until the others end, too, for up to five minutes. The others wait for this
    process in an operation on all processes, so the failure would not show."""
    try:
        run()
    except Exception:
        traceback.print_exc()
        os._exit(1)


if __name__ == "__main__":
    end_on_error(main)
