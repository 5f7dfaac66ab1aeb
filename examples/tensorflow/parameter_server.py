"""Trains a two-layer network whose variables live on parameter servers: ParameterServerStrategy, with an evaluator.

All roles run this one program; TF_CONFIG, which the operator sets, says which of them a pod is:

- ps holds variables until the pod is stopped;
- worker computes what the chief asks for, until the chief says that training has ended;
- chief hands out the steps, saves a checkpoint after each epoch and goes on from the newest one when it is restarted;
- evaluator computes the loss of every checkpoint that it finds in the same directory, and ends after the last one.

The training step is a plain tf.function: Keras 3, which comes with TensorFlow now, does not know this strategy.

Lines meant to be read by programs (the last but one is the evaluator's, and all others are the chief's):

    epoch 3/10 loss 0.1234 workers 2
    resumed from epoch 3
    done loss 2.1234 -> 0.0123 workers 2
    evaluated epoch 3/10 loss 0.1234
"""

import argparse
import json
import os
import signal
import tempfile
import threading
import time


def end_on_sigterm():
    """Ends at once when the pod is deleted. The first process of a container has no default reaction to the signal, and a
    Python handler would never be called in a server that only waits: a thread of its own does neither."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


end_on_sigterm()  # Before TensorFlow is loaded: its threads inherit what is blocked.

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

FEATURES = 8
SAMPLES = 4096


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "10")))
    parser.add_argument("--batch-size", type=int, default=32, help="samples per step")
    parser.add_argument(
        "--checkpoints", default=setting("CHECKPOINTS", ""),
        help="directory that chief and evaluator share; without it, nothing is saved or evaluated",
    )
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch or to fail",
    )
    return parser.parse_args()


def cluster_and_task():
    """Where the servers are, and what this process is.

    TF_CONFIG may name the evaluator among the cluster's members, but it takes no part in training: TensorFlow would wait
    for it as for a server.
    """
    config = json.loads(os.environ["TF_CONFIG"])
    members = {role: addresses for role, addresses in config["cluster"].items() if role != "evaluator"}
    return tf.train.ClusterSpec(members), config["task"]["type"], int(config["task"]["index"])


def synthetic_data():
    """A smooth function of eight features with a little noise; the same wherever it is made."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES).astype(np.float32)
    direction = random.randn(FEATURES).astype(np.float32)
    noise = 0.02 * random.randn(SAMPLES).astype(np.float32)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + noise
    return tf.constant(inputs), tf.constant(targets.reshape(-1, 1))


class Network(tf.Module):
    """Eight features, 64 hidden units, one number; and how many epochs it was trained, so that a checkpoint says so."""

    def __init__(self):
        super().__init__()
        random = tf.random.Generator.from_seed(0)
        self.hidden = tf.Variable(random.normal((FEATURES, 64), stddev=FEATURES**-0.5), name="hidden")
        self.hidden_bias = tf.Variable(tf.zeros(64), name="hidden_bias")
        self.output = tf.Variable(random.normal((64, 1), stddev=64**-0.5), name="output")
        self.output_bias = tf.Variable(tf.zeros(1), name="output_bias")
        self.epoch = tf.Variable(0, trainable=False, name="epoch")
        self.first_loss = tf.Variable(0.0, trainable=False, name="first_loss")

    def __call__(self, inputs):
        return tf.tanh(inputs @ self.hidden + self.hidden_bias) @ self.output + self.output_bias

    @tf.function
    def loss(self, inputs, targets):
        """Mean squared error."""
        return tf.reduce_mean((self(inputs) - targets) ** 2)


def serve(cluster, role, index):
    """Does what the chief asks for. A worker ends after training; a ps never does, and the operator stops its pod."""
    note = note_of_end(index)
    if os.path.exists(note):
        os.remove(note)
    server = tf.distribute.Server(cluster, job_name=role, task_index=index, protocol="grpc")
    print(f"{role} {index} serves", flush=True)
    if role == "ps":
        server.join()
    while not os.path.exists(note):
        time.sleep(0.5)
    time.sleep(2)  # The chief is still to get the answer.
    print(f"{role} {index} is done", flush=True)


def note_of_end(worker):
    """A file on the worker's own disk: TensorFlow's servers know no request to end, but they write files for the chief."""
    return os.path.join(tempfile.gettempdir(), f"training-ended-{worker}")


def train(options, cluster):
    """The chief's part."""
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
    strategy = tf.distribute.ParameterServerStrategy(resolver)
    coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
    workers = cluster.num_tasks("worker")
    print(f"chief of {workers} workers joined", flush=True)
    with strategy.scope():
        network = Network()
    inputs, targets = synthetic_data()
    # Without this, variables would be written and read by the ps that holds them, which need not share the directory.
    by_chief = tf.train.CheckpointOptions(experimental_io_device="/job:chief")
    manager = checkpoint_manager(network, options.checkpoints)
    if manager is not None and manager.latest_checkpoint is not None:
        manager.checkpoint.restore(manager.latest_checkpoint, options=by_chief).assert_consumed()
        print(f"resumed from epoch {network.epoch.numpy()}", flush=True)
    else:
        network.first_loss.assign(network.loss(inputs, targets))

    def endless_batches():
        """Made on every worker. The order is drawn there, so workers get different samples."""
        data = tf.data.Dataset.from_tensor_slices(synthetic_data())
        return data.shuffle(SAMPLES).repeat().batch(options.batch_size)

    batches = iter(coordinator.create_per_worker_dataset(endless_batches))

    @tf.function
    def steps(batches):
        """Some steps on whichever worker is free; the others change the same variables meanwhile."""
        for _ in tf.range(SAMPLES // options.batch_size // (4 * workers)):
            batch_inputs, batch_targets = next(batches)
            with tf.GradientTape() as tape:
                loss = network.loss(batch_inputs, batch_targets)
            weights = network.trainable_variables
            for weight, gradient in zip(weights, tape.gradient(loss, weights)):
                weight.assign_sub(0.1 * gradient)

    loss = network.loss(inputs, targets)
    while network.epoch.numpy() < options.epochs:
        started = time.monotonic()
        for _ in range(4 * workers):
            coordinator.schedule(steps, args=(batches,))
        coordinator.join()
        network.epoch.assign_add(1)
        loss = network.loss(inputs, targets)
        if manager is not None:
            manager.save(network.epoch, options=by_chief)
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        print(f"epoch {network.epoch.numpy()}/{options.epochs} loss {loss:.4f} workers {workers}", flush=True)
    for worker in range(workers):
        with tf.device(f"/job:worker/task:{worker}"):
            tf.io.write_file(note_of_end(worker), "")
    print(f"done loss {network.first_loss.numpy():.4f} -> {loss:.4f} workers {workers}", flush=True)


def checkpoint_manager(network, directory):
    """Keeps all checkpoints: the evaluator may be slower than the chief."""
    if not directory:
        return None
    return tf.train.CheckpointManager(tf.train.Checkpoint(network=network), directory, max_to_keep=None)


def evaluate(options):
    """The evaluator's part: alone with the checkpoints, it needs no server."""
    if not options.checkpoints:
        raise SystemExit("an evaluator needs --checkpoints: the directory in which the chief saves")
    network = Network()
    inputs, targets = synthetic_data()
    checkpoint = tf.train.Checkpoint(network=network)
    print(f"waiting for checkpoints in {options.checkpoints}", flush=True)
    for path in tf.train.checkpoints_iterator(options.checkpoints, min_interval_secs=0.5):
        checkpoint.restore(path).assert_consumed()
        epoch = network.epoch.numpy()
        print(f"evaluated epoch {epoch}/{options.epochs} loss {network.loss(inputs, targets):.4f}", flush=True)
        if epoch >= options.epochs:
            return


def main():
    options = arguments()
    # Several pods share the cores of one machine in the examples.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    # TensorFlow warns of every checkpoint after the fifth that it traces the function that writes it again.
    tf.get_logger().setLevel("ERROR")
    cluster, role, index = cluster_and_task()
    if role in ("worker", "ps"):
        serve(cluster, role, index)
    elif role == "evaluator":
        evaluate(options)
    else:
        train(options, cluster)


if __name__ == "__main__":
    main()
