import { describe, expect, it } from 'vitest';
import { at, plainPod, type PlainPod } from '../../test-support/plain-pod.ts';
import { jobOf } from '../../test-support/plain-world.ts';
import { failureOf } from './job-failure.ts';

function failureOfPod(pod: PlainPod) {
  const [role] = jobOf().roles;
  return failureOf({ role: role!, index: 0, state: 'failed', pod: plainPod({ node: 'node-1', attempt: 2, ...pod }) });
}

const WHOSE = { role: 'Worker', index: 0, pod: 'job-worker-0', node: 'node-1', attempt: 2 };
const MADE = at(-60);

const TWO_RANKS = `[rank0]: Traceback (most recent call last):
[rank0]:   File "/train.py", line 12, in <module>
[rank0]:     dist.all_reduce(x)
[rank0]: RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:41922
[rank1]: Traceback (most recent call last):
[rank1]:   File "/train.py", line 9, in <module>
[rank1]:     raise ValueError("no data")
[rank1]: ValueError: no data
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[1]:
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 9)
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================`;

const LOST_DAEMON = `--------------------------------------------------------------------------
ORTE has lost communication with a remote daemon.

  HNP daemon   : [[24613,0],0] on node job-launcher
  Remote daemon: [[24613,0],1] on node job-worker-0

This is usually due to either a failure of the TCP network
connection to the node, or possibly an internal failure of
the daemon itself. We cannot recover from this failure, and
therefore will terminate the job.
--------------------------------------------------------------------------`;

const REMOTE_ERROR = `Traceback (most recent call last):
  File "/train.py", line 9, in <module>
    dist.barrier()
torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, remote process exited or there was a network error, NCCL version 2.20.5
ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.
Last error:
socketProgress: Connection closed by remote peer job-worker-1<41922>`;

describe('failureOf', () => {
  it.each<[string, PlainPod, object]>([
    [
      'an exit code and its termination message',
      { phase: 'Failed', exit: 42, ended: -5, message: 'no data\n', containerReason: 'Error' },
      { class: 'Program', container: 'main', exitCode: 42, reason: 'Error', message: 'no data', time: at(-5) },
    ],
    [
      'a signal',
      { phase: 'Failed', exit: 139, ended: -5 },
      { class: 'Program', container: 'main', exitCode: 139, signal: 'SIGSEGV', time: at(-5) },
    ],
    [
      'an OOM kill',
      { phase: 'Failed', exit: 137, ended: -5, containerReason: 'OOMKilled' },
      {
        ...{ class: 'OutOfMemory', container: 'main', exitCode: 137, signal: 'SIGKILL' },
        ...{ reason: 'OOMKilled', time: at(-5) },
      },
    ],
    [
      'a lost peer',
      { phase: 'Failed', exit: 1, ended: -5, message: 'Connection reset by peer' },
      { class: 'Cascade', container: 'main', exitCode: 1, message: 'Connection reset by peer', time: at(-5) },
    ],
    [
      'a pod with one process that failed by itself and others that lost a peer',
      { phase: 'Failed', exit: 1, ended: -5, message: TWO_RANKS },
      { class: 'Program', container: 'main', exitCode: 1, message: 'ValueError: no data', time: at(-5) },
    ],
    [
      'a program that got SIGTERM',
      { phase: 'Failed', exit: 143, ended: -5 },
      { class: 'Program', container: 'main', exitCode: 143, signal: 'SIGTERM', time: at(-5) },
    ],
    [
      'a container that the kubelet restarted',
      { restarts: 1, exitBefore: 3 },
      { class: 'Program', container: 'main', exitCode: 3, time: MADE },
    ],
    [
      'activeDeadlineSeconds',
      { phase: 'Failed', reason: 'DeadlineExceeded', exit: 137, ended: -5 },
      { class: 'Program', reason: 'DeadlineExceeded', time: at(-5) },
    ],
    [
      'an eviction because of disk usage',
      { phase: 'Failed', reason: 'Evicted', exit: 137, ended: -5 },
      { class: 'Evicted', reason: 'Evicted', time: at(-5) },
    ],
    [
      'an eviction whose program exited with 0',
      { phase: 'Failed', reason: 'Evicted', exit: 0, ended: -5 },
      { class: 'Evicted', reason: 'Evicted', time: at(-5) },
    ],
    [
      'a preemption of a pod that is being deleted',
      { exit: 143, ended: -5, disrupted: true, deleted: -10 },
      { class: 'Preempted', reason: 'PreemptionByScheduler', time: at(-5) },
    ],
    [
      'a lost node',
      { disrupted: true, disruption: 'DeletionByTaintManager', deleted: -10 },
      { class: 'NodeLost', reason: 'DeletionByTaintManager', time: MADE },
    ],
    [
      'a node that refused the pod',
      { phase: 'Failed', reason: 'OutOfcpu' },
      { class: 'Refused', reason: 'OutOfcpu', time: MADE },
    ],
  ])('reports %s', (_what, pod, expected) => {
    expect(failureOfPod(pod)).toEqual({ ...WHOSE, ...expected });
  });

  it.each<[string, PlainPod]>([
    ['runs', {}],
    ['has succeeded', { phase: 'Succeeded', exit: 0 }],
    ['was deleted by a user', { exit: 143, deleted: -5 }],
    ['waits for its image', { phase: 'Pending', waits: 'ImagePullBackOff' }],
  ])('is undefined for a pod that %s', (_what, pod) => {
    expect(failureOfPod(pod)).toBeUndefined();
  });

  it.each([
    ['Open MPI', LOST_DAEMON],
    ['ssh', `Connection to job-worker-1.job closed by remote host.\r\n${LOST_DAEMON}`],
    ['NCCL', REMOTE_ERROR],
    ['hydra', '[proxy:0:1@job-worker-1] control_cb (proxy/pmip_cb.c:480): assert (!closed) failed'],
    ['Ray', 'ray.exceptions.ActorDiedError: The actor died because its node has died.'],
  ])('is a cascade by the error of %s about a lost peer', (_tool, output) => {
    expect(failureOfPod({ phase: 'Failed', exit: 1, ended: -5, message: output })?.class).toBe('Cascade');
  });

  it('keeps the end of a long message, in whole lines', () => {
    const output = `${'Traceback line\n'.repeat(200)}ValueError: no such device`;
    const { message = '' } = failureOfPod({ phase: 'Failed', exit: 1, message: output }) ?? {};
    expect(message).toMatch(/^…Traceback line\n[^]*\nValueError: no such device$/);
    expect(message.length).toBeLessThanOrEqual(301);
  });
});
