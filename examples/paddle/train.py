"""Trains a small network with Paddle on data that it makes itself, together with all pods of the job.

Start it with Paddle's launcher, in each pod: `python -m paddle.distributed.launch train.py`. The launcher reads the PADDLE_* variables
that the operator sets, finds the other pods, and starts this program. Gradients are averaged over gloo, so it needs no GPU. Started
without the launcher it trains alone.

With CHECKPOINT, rank 0 saves the model in that file after each epoch. A restarted job resumes from it, also with another number of workers.

Lines meant to be read by programs:

    worker 0 of 3 joined
    resumed from epoch 2
    epoch 3/20 loss 0.1234 workers 3
    workers agree
    done loss 2.1234 -> 0.0123 workers 3
"""

import os
import signal
import threading


def end_on_sigterm():
    """Ends at once when the pod is deleted, also while Paddle waits for other workers, and as the first process of a container."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


# Before numpy and Paddle are loaded: they start threads, any of which would otherwise take the signal.
end_on_sigterm()

import argparse  # noqa: E402
import time  # noqa: E402

import numpy as np  # noqa: E402
import paddle  # noqa: E402
import paddle.distributed as dist  # noqa: E402

FEATURES = 8
SAMPLES = 4096
BATCH = 256


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "20")), help="number of epochs")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch, to resize or to fail",
    )
    parser.add_argument("--checkpoint", default=setting("CHECKPOINT", ""), help="file of the model; default: none")
    return parser.parse_args()


def synthetic_data():
    """A smooth function of eight features with a little noise; the same on each worker."""
    random = np.random.RandomState(1)
    inputs = random.randn(SAMPLES, FEATURES)
    direction = random.randn(FEATURES)
    targets = np.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + 0.02 * random.randn(SAMPLES)
    return paddle.to_tensor(inputs, dtype="float32"), paddle.to_tensor(targets[:, None], dtype="float32")


def save(network, epoch, file):
    """A file that is complete, or the former one."""
    paddle.save({"network": network.state_dict(), "epoch": epoch}, f"{file}.new")
    os.replace(f"{file}.new", file)


def resume(network, file, rank, world):
    """Rank 0 reads the checkpoint, and all start with its parameters. Returns the number of finished epochs."""
    done = paddle.zeros([1], dtype="int64")
    if rank == 0 and file and os.path.exists(file):
        saved = paddle.load(file)
        network.set_state_dict(saved["network"])
        done = paddle.to_tensor([saved["epoch"]], dtype="int64")
    if world > 1:
        for tensor in [done, *network.parameters()]:
            dist.broadcast(tensor, src=0)
    if rank == 0 and done.item() > 0:
        print(f"resumed from epoch {done.item()}", flush=True)
    return done.item()


def check_agreement(network, rank, world):
    """Fails unless all workers end with the same parameters, to the last bit."""
    own = paddle.concat([parameter.detach().flatten() for parameter in network.parameters()])
    first = own.clone()
    if world > 1:
        dist.broadcast(first, src=0)
    if not bool((own == first).all()):
        raise SystemExit(f"worker {rank}: the workers' parameters differ")
    if rank == 0:
        print("workers agree", flush=True)


def train(options, rank, world):
    print(f"worker {rank} of {world} joined", flush=True)
    paddle.seed(1)
    network = paddle.nn.Sequential(
        paddle.nn.Linear(FEATURES, 64), paddle.nn.Tanh(), paddle.nn.Linear(64, 1),
    )
    optimizer = paddle.optimizer.Adam(learning_rate=0.02, parameters=network.parameters())
    all_inputs, all_targets = synthetic_data()
    inputs, targets = all_inputs[rank::world], all_targets[rank::world]
    # The same number of steps on each worker.
    steps = SAMPLES // world // (BATCH // world)

    def loss_of_all():
        with paddle.no_grad():
            return float(paddle.nn.functional.mse_loss(network(all_inputs), all_targets))

    first_loss = loss = loss_of_all()
    done = resume(network, options.checkpoint, rank, world)
    for epoch in range(done + 1, options.epochs + 1):
        started = time.monotonic()
        for step in range(steps):
            batch = slice(step * (BATCH // world), (step + 1) * (BATCH // world))
            # The sum of the gradients of all workers' shares is the gradient of their mean: gloo only sums.
            (paddle.nn.functional.mse_loss(network(inputs[batch]), targets[batch]) / world).backward()
            if world > 1:
                for parameter in network.parameters():
                    dist.all_reduce(parameter.grad)
            optimizer.step()
            optimizer.clear_grad()
        loss = loss_of_all()
        time.sleep(max(0.0, options.epoch_seconds - (time.monotonic() - started)))
        if rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {world}", flush=True)
            if options.checkpoint:
                save(network, epoch, options.checkpoint)
    check_agreement(network, rank, world)
    if rank == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {world}", flush=True)


def main():
    options = arguments()
    paddle.set_device("cpu")
    if int(os.environ.get("PADDLE_TRAINERS_NUM", "1")) > 1:
        dist.init_parallel_env()
    train(options, dist.get_rank(), dist.get_world_size())


if __name__ == "__main__":
    main()
