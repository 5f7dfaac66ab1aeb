/** Programs of the pods: plain Python, which starts fast, and one with torch and gloo. */

/**
 * Static ranks with a connection to rank 0. When one ends, rank 0 fails, and then the others. The fault happens a second after all
 * have connected.
 */
export function mesh(rank: number, fault: string): string {
  return `
import ctypes, os, select, signal, socket, sys, time
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if rank == 0:
    server = socket.create_server(("", 29600))
    peers = [server.accept()[0] for _ in range(size - 1)]
else:
    while True:
        try:
            peers = [socket.create_connection((os.environ["MASTER_ADDR"], 29600), timeout=5)]
            break
        except OSError:
            time.sleep(0.5)
print("met", flush=True)
if rank == ${rank}:
    time.sleep(1)
    ${fault}
select.select(peers, [], [])
raise ConnectionError("Connection closed by peer")
`;
}

/** A real process group: when one rank fails, the others lose their connections. */
export function gloo(rank: number, fault: string): string {
  return `
import os, sys, time, torch
import torch.distributed as dist
dist.init_process_group("gloo")
for step in range(1000):
    if dist.get_rank() == ${rank} and step == 5:
        ${fault}
    dist.all_reduce(torch.ones(1))
    time.sleep(0.1)
`;
}

/** Processes of JAX, whose coordinator runs in worker 0. */
export function jax(rank: number, fault: string): string {
  return `
import os, sys, time, jax
rank, size = int(os.environ["PROCESS_ID"]), int(os.environ["NUM_PROCESSES"])
jax.distributed.initialize(
    num_processes=size, process_id=rank, cluster_detection_method="deactivate",
    heartbeat_timeout_seconds=20, shutdown_timeout_seconds=20,
)
from jax.experimental import multihost_utils
for step in range(1000):
    if rank == ${rank} and step == 5:
        ${fault}
    multihost_utils.sync_global_devices(str(step))
    time.sleep(0.1)
`;
}

/** Processes of Paddle. Its launcher numbers the pods in a random order, so the fault is one of a pod. */
function paddle(worker: number, fault: string): string {
  return `
import os, socket, sys, time
import paddle
import paddle.distributed as dist
paddle.set_device("cpu")
dist.init_parallel_env()
for step in range(1000):
    if socket.gethostname().endswith("-worker-${worker}") and step == 5:
        ${fault}
    dist.all_reduce(paddle.ones([1]))
    time.sleep(0.1)
`;
}

/** Below Paddle's launcher, which runs a file and ends with the exit code of its process. */
export function launchedByPaddle(worker: number, fault: string): string[] {
  const launch = 'python -m paddle.distributed.launch --log_dir /tmp/log /tmp/fault.py';
  return ['sh', '-c', `printf %s "$0" > /tmp/fault.py; ${launch}; exit $?`, paddle(worker, fault)];
}

/** Runs a program below a shell, which reports the signal that ended it. Process 1 of a container ignores some signals. */
export function shell(program: string): string[] {
  return ['sh', '-c', 'python -u -c "$0"; exit $?', program];
}

export const SLEEP: readonly string[] = ['sleep', '3600'];
