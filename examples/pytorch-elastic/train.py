"""Trains a two-layer network on data it makes itself, together with all workers of the job.

Runs unchanged in the three ways in which a PyTorchJob starts its pods:

- static, `python train.py`: MASTER_ADDR, MASTER_PORT, RANK and WORLD_SIZE come from the operator;
- elastic, `torchrun train.py`: torchrun reads PET_* from the operator, finds the other pods, sets the same four variables,
  and restarts this program when the number of workers changes;
- alone, `python train.py` with none of them set: a world of one.

With --checkpoint, the first worker of each pod saves after each epoch, and a new start goes on from the newest file that
any worker finds. So a volume per pod is enough: as long as one pod survives, its checkpoint does.

Lines meant to be read by programs:

    epoch 3/10 loss 0.1234 workers 3
    resumed from epoch 3
    waiting for 4 workers
    workers agree
    done loss 2.1234 -> 0.0123 workers 3
"""

import argparse
import datetime
import os
import signal
import socket
import threading
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

FEATURES = 8
SAMPLES = 4096


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""

    def setting(name, default):
        return os.environ.get(name) or default

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=int(setting("EPOCHS", "10")))
    parser.add_argument("--batch-size", type=int, default=32, help="samples per worker and step")
    parser.add_argument("--checkpoint", default=setting("CHECKPOINT", ""), help="file to save to and to resume from")
    parser.add_argument(
        "--epoch-seconds", type=float, default=float(setting("EPOCH_SECONDS", "0")),
        help="how long an epoch lasts at least: gives time to watch, to scale or to fail",
    )
    parser.add_argument(
        "--finish-workers", type=int, default=int(setting("FINISH_WORKERS", "0")),
        help="how many workers the second half of the epochs takes: with fewer, training waits for the rest",
    )
    parser.add_argument(
        "--busy", action="store_true", default=setting("BUSY", "") == "1",
        help="computes for the rest of --epoch-seconds instead of resting: load for an autoscaler to see",
    )
    parser.add_argument(
        "--hurry-file", default=setting("HURRY_FILE", ""), help="as soon as this file is there, epochs last as long as they take"
    )
    return parser.parse_args()


def end_on_sigterm():
    """Ends at once when the pod is deleted. The first process of a container has no default reaction to the signal, and a
    Python handler would wait for as long as PyTorch waits for other workers: a thread of its own does neither."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def wait_and_end():
        signal.sigwait({signal.SIGTERM})
        os._exit(128 + signal.SIGTERM)

    threading.Thread(target=wait_and_end, daemon=True).start()


def join_workers():
    """Meets the other workers; returns rank and world size."""
    if "WORLD_SIZE" not in os.environ:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0", RANK="0", WORLD_SIZE="1")
    dist.init_process_group("gloo", timeout=datetime.timedelta(minutes=5))
    rank, world = dist.get_rank(), dist.get_world_size()
    print(f"worker {rank} of {world} joined", flush=True)
    return rank, world


def synthetic_data():
    """A smooth function of eight features with a little noise; the same on each worker."""
    generator = torch.Generator().manual_seed(1)
    inputs = torch.randn(SAMPLES, FEATURES, generator=generator)
    direction = torch.randn(FEATURES, generator=generator)
    noise = 0.02 * torch.randn(SAMPLES, generator=generator)
    targets = torch.tanh(inputs @ direction) + 0.5 * inputs[:, 0] ** 2 + noise
    return inputs, targets.unsqueeze(1)


def total_loss(model, inputs, targets):
    """Mean squared error over all the data; every worker computes the same number."""
    with torch.no_grad():
        return nn.functional.mse_loss(model(inputs), targets).item()


def train_epoch(model, optimizer, inputs, targets, epoch, rank, world, batch_size):
    """One pass over the data, each worker on its share of a common random order."""
    order = torch.randperm(len(inputs), generator=torch.Generator().manual_seed(epoch))
    # All workers must take the same number of steps: each waits for the others' gradients.
    steps = max(1, len(inputs) // (world * batch_size))
    for step in range(steps):
        start = (step * world + rank) * batch_size
        batch = order[start : start + batch_size]
        optimizer.zero_grad()
        nn.functional.mse_loss(model(inputs[batch]), targets[batch]).backward()
        optimizer.step()


def save(path, model, optimizer, epoch, first_loss):
    """Writes the checkpoint under its name only when it is whole, for a worker may be killed at any moment."""
    state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch, "first_loss": first_loss}
    unfinished = f"{path}.{socket.gethostname()}.{os.getpid()}"
    torch.save(state, unfinished)
    os.replace(unfinished, path)


def resume(path, model, optimizer, rank, world):
    """Loads the newest checkpoint that any worker has into all of them; returns the epochs done and the first loss."""
    own = torch.load(path) if path and os.path.exists(path) else {"epoch": 0, "first_loss": None}
    epochs = [torch.zeros(1, dtype=torch.int64) for _ in range(world)]
    dist.all_gather(epochs, torch.tensor([own["epoch"]]))
    newest = max(range(world), key=lambda worker: epochs[worker].item())
    shared = [own]
    dist.broadcast_object_list(shared, src=newest)
    state = shared[0]
    if state["epoch"] > 0:
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        if rank == 0:
            print(f"resumed from epoch {state['epoch']}", flush=True)
    return state["epoch"], state["first_loss"]


def wait_for_workers(rank, world, wanted):
    """Goes on as soon as there are as many. torchrun restarts this program when their number changes."""
    if world >= wanted:
        return
    if rank == 0:
        print(f"waiting for {wanted} workers", flush=True)
    while True:
        time.sleep(60)


def last_until(end, busy, hurry_file):
    """Draws an epoch out until that moment."""
    while time.monotonic() < end and not (hurry_file and os.path.exists(hurry_file)):
        if not busy:
            time.sleep(min(0.2, max(0.0, end - time.monotonic())))


def check_agreement(model, rank, world):
    """Fails unless all workers end with the same parameters, to the last bit."""
    own = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    others = [torch.empty_like(own) for _ in range(world)]
    dist.all_gather(others, own)
    if not all(torch.equal(own, other) for other in others):
        raise SystemExit(f"worker {rank}: the workers' parameters differ")
    if rank == 0:
        print("workers agree", flush=True)


def main():
    end_on_sigterm()
    options = arguments()
    # Several workers share the cores of one machine in the examples.
    torch.set_num_threads(1)
    rank, world = join_workers()
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(FEATURES, 64), nn.Tanh(), nn.Linear(64, 1))
    optimizer = torch.optim.Adam(network.parameters(), lr=0.01)
    epochs_done, first_loss = resume(options.checkpoint, network, optimizer, rank, world)
    model = DistributedDataParallel(network)
    inputs, targets = synthetic_data()
    loss = total_loss(network, inputs, targets)
    first_loss = loss if first_loss is None else first_loss
    for epoch in range(epochs_done + 1, options.epochs + 1):
        if epoch > options.epochs // 2:
            wait_for_workers(rank, world, options.finish_workers)
        started = time.monotonic()
        train_epoch(model, optimizer, inputs, targets, epoch, rank, world, options.batch_size)
        loss = total_loss(network, inputs, targets)
        last_until(started + options.epoch_seconds, options.busy, options.hurry_file)
        if rank == 0:
            print(f"epoch {epoch}/{options.epochs} loss {loss:.4f} workers {world}", flush=True)
        if options.checkpoint and os.environ.get("LOCAL_RANK", "0") == "0":
            save(options.checkpoint, network, optimizer, epoch, first_loss)
    check_agreement(network, rank, world)
    if rank == 0:
        print(f"done loss {first_loss:.4f} -> {loss:.4f} workers {world}", flush=True)
    # Rank 0 holds the store that the others need to end: no rank ends before all are ready.
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
