"""Works out pi on all ranks of the job: each sums its share of the area under a quarter of a circle.

Line meant to be read by programs, on rank 0:

    pi 3.141592653590 ranks 4 hosts pi-worker-0,pi-worker-1
"""

import argparse
import os
import socket

import numpy as np
from mpi4py import MPI


def arguments():
    """Each option has an environment variable, so that a manifest can set it without repeating the command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--intervals", type=int, default=int(os.environ.get("INTERVALS") or 4_000_000))
    return parser.parse_args()


def share_of_pi(intervals, rank, ranks):
    """The midpoint rule for 4 / (1 + x²) over every `ranks`-th interval, counted from `rank`."""
    midpoints = (np.arange(rank, intervals, ranks) + 0.5) / intervals
    return float((4 / (1 + midpoints**2)).sum() / intervals)


def main():
    world = MPI.COMM_WORLD
    # The number of intervals comes from rank 0: mpirun does not hand on the environment of its pod to other pods.
    intervals = world.bcast(arguments().intervals)
    pi = world.reduce(share_of_pi(intervals, world.rank, world.size))
    hosts = world.gather(socket.gethostname())
    if world.rank == 0:
        print(f"pi {pi:.12f} ranks {world.size} hosts {','.join(sorted(set(hosts)))}", flush=True)


if __name__ == "__main__":
    main()
