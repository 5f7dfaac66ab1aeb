"""Trains a two-layer network on data it makes itself, together with all workers of the job: MultiWorkerMirroredStrategy.

Every worker has a copy of the model, and the gradients of all of them are summed at each step. TF_CONFIG, which the operator
sets, says where the workers are and which of them a pod is; without it the program trains alone.

The training loop is a plain tf.function: Keras 3, which comes with TensorFlow now, does not know this strategy.

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
    """Ends at once when the pod is deleted. The first process of a container has no default reaction to the signal, and a
    Python handler would wait for as long as TensorFlow waits for other workers: a thread of its own does neither."""
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
    return inputs, targets.reshape(-1, 1)


class Network(tf.Module):
    """Eight features, 64 hidden units, one number. Made under a strategy's scope, its variables are the strategy's."""

    def __init__(self):
        super().__init__()
        random = tf.random.Generator.from_seed(0)
        self.hidden = tf.Variable(random.normal((FEATURES, 64), stddev=FEATURES**-0.5), name="hidden")
        self.hidden_bias = tf.Variable(tf.zeros(64), name="hidden_bias")
        self.output = tf.Variable(random.normal((64, 1), stddev=64**-0.5), name="output")
        self.output_bias = tf.Variable(tf.zeros(1), name="output_bias")

    def __call__(self, inputs):
        return tf.tanh(inputs @ self.hidden + self.hidden_bias) @ self.output + self.output_bias


class Trainer:
    """The model on all workers, and the step that they take together."""

    def __init__(self, strategy, learning_rate=0.1, momentum=0.9):
        self.strategy = strategy
        self.workers = strategy.num_replicas_in_sync
        self.learning_rate = learning_rate
        self.momentum = momentum
        with strategy.scope():
            self.network = Network()
            self.velocities = [tf.Variable(tf.zeros_like(weight)) for weight in self.network.trainable_variables]

    @tf.function
    def train(self, inputs, targets):
        """Takes one step for each batch of the tensors, whose first dimension is the step."""

        def step(batch_inputs, batch_targets):
            weights = self.network.trainable_variables
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self.network(batch_inputs) - batch_targets) ** 2)
            gradients = tf.distribute.get_replica_context().all_reduce("mean", tape.gradient(loss, weights))
            for weight, velocity, gradient in zip(weights, self.velocities, gradients):
                velocity.assign(self.momentum * velocity - self.learning_rate * gradient)
                weight.assign_add(velocity)

        for index in tf.range(tf.shape(inputs)[0]):
            self.strategy.run(step, args=(inputs[index], targets[index]))

    @tf.function
    def loss(self, inputs, targets):
        """Mean squared error over all the data; every worker computes the same number."""
        return tf.reduce_mean((self.network(inputs) - targets) ** 2)

    @tf.function
    def gather_weights(self):
        """A row with all weights for each worker."""

        def own():
            return tf.concat([tf.reshape(weight, (1, -1)) for weight in self.network.trainable_variables], axis=1)

        return self.strategy.gather(self.strategy.run(own), axis=0)


def share_of_epoch(inputs, targets, epoch, worker, workers, batch_size):
    """This worker's batches of a common random order. All workers get the same number of batches."""
    order = np.random.RandomState(epoch).permutation(SAMPLES)
    steps = max(1, SAMPLES // (workers * batch_size))
    batches = order[: steps * workers * batch_size].reshape(steps, workers, batch_size)[:, worker]
    return tf.constant(inputs[batches]), tf.constant(targets[batches])


def check_agreement(trainer, worker):
    """Fails unless all workers end with the same weights, to the last bit."""
    rows = trainer.gather_weights().numpy()
    if len(rows) != trainer.workers or not all(np.array_equal(rows[0], row) for row in rows):
        raise SystemExit(f"worker {worker}: the workers' weights differ")
    if worker == 0:
        print("workers agree", flush=True)


def main():
    options = arguments()
    # Several workers share the cores of one machine in the examples.
    tf.config.threading.set_intra_op_parallelism_threads(1)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    worker = strategy.cluster_resolver.task_id or 0
    trainer = Trainer(strategy)
    print(f"worker {worker} of {trainer.workers} joined", flush=True)
    inputs, targets = synthetic_data()
    first_loss = loss = float(trainer.loss(inputs, targets))
    for epoch in range(1, options.epochs + 1):
        started = time.monotonic()
        trainer.train(*share_of_epoch(inputs, targets, epoch, worker, trainer.workers, options.batch_size))
        loss = float(trainer.loss(inputs, targets))
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if worker == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {trainer.workers}", flush=True)
    check_agreement(trainer, worker)
    if worker == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {trainer.workers}", flush=True)


if __name__ == "__main__":
    main()
