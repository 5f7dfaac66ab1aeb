/** Real outputs of the tools, with shortened paths. */
import { describe, expect, it } from 'vitest';
import { errorMessage, errorOf, peerLossOf } from './error-message.ts';
import { namesLostPeer, namesUnreachedPeer } from './peer-loss.ts';

const TORCHRUN = `Traceback (most recent call last):
  File "/usr/local/bin/torchrun", line 8, in <module>
    sys.exit(main())
             ^^^^^^
  File "/usr/local/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 348, in wrapper
    return f(*args, **kwargs)
  File "/usr/local/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 268, in launch_agent
    raise ChildFailedError(
torch.distributed.elastic.multiprocessing.errors.ChildFailedError: `;

const torchBox = (script: string, cause: string, failures = '  <NO_OTHER_FAILURES>') => `${TORCHRUN}
============================================================
${script} FAILED
------------------------------------------------------------
Failures:
${failures}
------------------------------------------------------------
Root Cause (first observed failure):
${cause}
============================================================`;

const torchCause = (exitcode: string, traceback: string, rank = 0) => `[0]:
  time      : 2026-01-01_00:00:00
  host      : mnist-worker-0.mnist.team.svc.cluster.local
  rank      : ${rank} (local_rank: ${rank})
  exitcode  : ${exitcode} (pid: 8)
  error_file: <N/A>
  traceback : ${traceback}`;

const NO_TRACEBACK = 'To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html';

const torchFailed = (exitcode: string, rank = 0) =>
  `E0101 00:00:00.000000 1 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: ${exitcode}) local_rank: ${rank} (pid: 8) of binary: /usr/local/bin/python`;

const RULE = '-'.repeat(74);

const ORTE = `${RULE}
ORTE was unable to reliably start one or more daemons.
This usually is caused by:

* not finding the required libraries and/or binaries on
  one or more nodes. Please check your PATH and LD_LIBRARY_PATH
  settings, or configure OMPI with --enable-orterun-prefix-by-default

* lack of authority to execute on one or more specified nodes.
  Please verify your allocation and authorities.

* the inability to write startup files into /tmp (--tmpdir/orte_tmpdir_base).
  Please check with your sys admin to determine the correct location to use.

*  compilation of the orted with dynamic libraries when static are required
  (e.g., on Cray). Please check your configure cmd line and consider using
  one of the contrib/platform definitions for your system type.

* an inability to create a connection back to mpirun due to a
  lack of common network interfaces and/or no route found between
  them. Please check network connectivity (including firewalls
  and network routing requirements).
${RULE}`;

const PRIMARY = `${RULE}
Primary job  terminated normally, but 1 process returned
a non-zero exit code. Per user-direction, the job has been aborted.
${RULE}`;

const NON_ZERO = `${RULE}
mpirun detected that one or more processes exited with non-zero status, thus causing
the job to be terminated. The first process to do so was:

  Process name: [[12345,1],1]
  Exit code:    3
${RULE}`;

const HYDRA_RULE = '='.repeat(83);

const hydra = (end: string) => `${HYDRA_RULE}
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 12 RUNNING AT job-worker-0
=   ${end}
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
${HYDRA_RULE}`;

const HORVODRUN = `Process 1 exit with status code 1.
Terminating remaining workers after failure of Process 1.
Process 0 exit with status code 143.
Traceback (most recent call last):
  File "/usr/local/bin/horovodrun", line 8, in <module>
    sys.exit(run_commandline())
  File "/usr/local/lib/python3.8/dist-packages/horovod/runner/gloo_run.py", line 300, in launch_gloo
    raise RuntimeError('Horovod detected that one or more processes exited with non-zero '
RuntimeError: Horovod detected that one or more processes exited with non-zero status, thus causing the job to be terminated. The first process to do so was:
Process name: 1
Exit code: 1`;

const JAX_FATAL =
  'F0101 00:00:00.000000      17 client.h:80] Terminating process because the JAX distributed service detected fatal errors. This most ' +
  'likely indicates that another task died; see the other task logs for more details. Disable Python buffering, i.e. `python -u`, to be ' +
  'sure to see all the previous output. absl::Status: ';

const ABSL_TRACE = `*** Check failure stack trace: ***
${Array.from({ length: 12 }, (_frame, at) => `    @     0x7f1f1d42${at + 1000}  absl::lts_20260107::log_internal::LogMessage::Flush()`).join('\n')}
    @     0x7f1f29aa71f5  (unknown)
`;

const JAX_POLLED =
  'E0101 00:00:00.000000      17 coordination_service_agent.cc:289] Polled an error from coordination service (this can be an error from ' +
  'this or another task).';

const JAX_STALE = `${JAX_POLLED}
${JAX_FATAL}UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):
1
The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. preemption, eviction) to debug further.

RPC: /xla.coordination.CoordinationService/PollForError [type.googleapis.com/tensorflow.CoordinationServiceError='']
${ABSL_TRACE}`;

const JAX_LATE = `${JAX_FATAL}DEADLINE_EXCEEDED: Deadline Exceeded

RPC: /xla.coordination.CoordinationService/RegisterTask
${ABSL_TRACE}`;

/** The start is cut, as by the limit of a termination message. */
const JAX_RESTARTED_PEER = `died; see the other task logs for more details. absl::Status: INTERNAL: Failed to disconnect from coordination service.
Barrier result: 'INTERNAL: Barrier failed because: task is set to ERROR: ABORTED: 1 unexpectedly tried to connect with a different incarnation. It has likely restarted.'

RPC: /xla.coordination.CoordinationService/ShutdownTask Proceeding with agent shutdown anyway.
${JAX_POLLED}
${ABSL_TRACE}`;

const CASES: readonly [what: string, output: string, message: string][] = [
  [
    'the file that torchrun cannot find',
    `/usr/local/bin/python: can't open file '/workspace/trian.py': [Errno 2] No such file or directory
${torchFailed('2')}
${torchBox('trian.py', torchCause('2', NO_TRACEBACK))}
`,
    "/usr/local/bin/python: can't open file '/workspace/trian.py': [Errno 2] No such file or directory",
  ],
  [
    'the module that torchrun cannot find',
    `/usr/local/bin/python: Error while finding module specification for 'train.main' (ModuleNotFoundError: No module named 'train')
${torchFailed('1')}
${torchBox('train.main', torchCause('1', NO_TRACEBACK))}`,
    "/usr/local/bin/python: Error while finding module specification for 'train.main' (ModuleNotFoundError: No module named 'train')",
  ],
  [
    'the exception under torchrun',
    `epoch 1
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 12, in <module>
[rank0]:     raise ValueError("no data in /data")
[rank0]: ValueError: no data in /data
${torchFailed('1')}
${torchBox('train.py', torchCause('1', NO_TRACEBACK))}`,
    'ValueError: no data in /data',
  ],
  [
    "the exception of torchrun's root cause instead of the rank that printed last",
    `[rank1]: Traceback (most recent call last):
[rank1]:   File "/workspace/train.py", line 12, in <module>
[rank1]:     raise ValueError("no data in /data")
[rank1]: ValueError: no data in /data
[rank0]: Traceback (most recent call last):
[rank0]:   File "/workspace/train.py", line 20, in <module>
[rank0]:     raise RuntimeError("lost")
[rank0]: RuntimeError: lost
${torchFailed('1', 1)}
${torchBox('train.py', torchCause('1', NO_TRACEBACK, 1))}`,
    'ValueError: no data in /data',
  ],
  [
    "the exception instead of the other ranks' lost peer errors",
    `Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    raise ValueError("no data in /data")
ValueError: no data in /data
Traceback (most recent call last):
  File "/workspace/train.py", line 14, in <module>
    dist.all_reduce(x)
RuntimeError: [gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.7]:41922
${torchBox('train.py', torchCause('1', NO_TRACEBACK))}`,
    'ValueError: no data in /data',
  ],
  [
    'the traceback that torchrun read from an error file',
    torchBox(
      'train.py',
      torchCause(
        '1',
        `Traceback (most recent call last):
    File "/usr/local/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 348, in wrapper
      return f(*args, **kwargs)
    File "/workspace/train.py", line 9, in main
      raise KeyError("shape")
  KeyError: 'shape'
  `,
      ),
    ),
    "KeyError: 'shape'",
  ],
  [
    "the signal of torchrun's root cause",
    `epoch 3, loss 0.2
${torchFailed('-9', 1)}
${torchBox('train.py', torchCause('-9', 'Signal 9 (SIGKILL) received by PID 8', 1))}`,
    'train.py failed: rank 1 (local_rank: 1): Signal 9 (SIGKILL) received by PID 8',
  ],
  [
    "torchrun's root cause if nothing else is left",
    torchBox('train.py', torchCause('3', NO_TRACEBACK, 2)),
    'train.py failed: rank 2 (local_rank: 2): exitcode 3',
  ],
  [
    "torchrun's root cause if the termination message cut its traceback",
    torchBox('trian.py', torchCause('2', NO_TRACEBACK)).slice(TORCHRUN.indexOf('elastic/multiprocessing')),
    'trian.py failed: rank 0 (local_rank: 0): exitcode 2',
  ],
  [
    'the last line of a program under torchrun that exits without an exception',
    `loading\nfatal: no data\n${torchFailed('3')}\n${torchBox('train.py', torchCause('3', NO_TRACEBACK))}`,
    'fatal: no data (train.py failed: rank 0 (local_rank: 0): exitcode 3)',
  ],
  [
    'an exception whose traceback is cut at the start',
    `ite-packages/torch/nn/modules/module.py", line 1511, in _wrapped_call_impl
    return self._call_impl(*args, **kwargs)
  File "/workspace/model.py", line 7, in forward
    return x @ self.weight
           ~~^~~~~~~~~~~~~
RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x784 and 780x10)
`,
    'RuntimeError: mat1 and mat2 shapes cannot be multiplied (64x784 and 780x10)',
  ],
  [
    'both ends of chained exceptions',
    `Traceback (most recent call last):
  File "/workspace/train.py", line 3, in load
    open("/data/x")
FileNotFoundError: [Errno 2] No such file or directory: '/data/x'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/workspace/train.py", line 9, in main
    load()
DataError: cannot load

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    main()
RuntimeError: training failed
`,
    "RuntimeError: training failed (caused by FileNotFoundError: [Errno 2] No such file or directory: '/data/x')",
  ],
  [
    'a syntax error',
    `  File "/workspace/train.py", line 3
    print("a"
         ^
SyntaxError: '(' was never closed
`,
    "SyntaxError: '(' was never closed",
  ],
  [
    'the last error of NCCL',
    `Traceback (most recent call last):
  File "/workspace/train.py", line 3, in <module>
    dist.barrier()
torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5
ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. 
Last error:
socketStartConnect: Connect to 10.0.0.7<41922> failed : Software caused connection abort
`,
    'torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5: socketStartConnect: Connect to 10.0.0.7<41922> failed : Software caused connection abort',
  ],
  [
    'the host that mpirun cannot reach by ssh',
    `ssh: connect to host job-worker-0.job.team.svc port 22: Connection refused\r\n${ORTE}\n`,
    'ssh: connect to host job-worker-0.job.team.svc port 22: Connection refused',
  ],
  [
    'a key that ssh refuses',
    `Warning: Permanently added 'job-worker-0.job' (ED25519) to the list of known hosts.
root@job-worker-0.job: Permission denied (publickey).
${ORTE}`,
    'root@job-worker-0.job: Permission denied (publickey).',
  ],
  [
    'the daemons that mpirun cannot start, if no cause is printed',
    ORTE,
    'ORTE was unable to reliably start one or more daemons.',
  ],
  [
    'the exception under mpirun',
    `[1,1]<stderr>:Traceback (most recent call last):
[1,1]<stderr>:  File "/workspace/train.py", line 12, in <module>
[1,1]<stderr>:    raise ValueError("no data")
[1,1]<stderr>:ValueError: no data
${PRIMARY}
${NON_ZERO}`,
    'ValueError: no data',
  ],
  [
    'the process that mpirun names, with the last line before it',
    `loading\nfatal: no data\n${PRIMARY}\n${NON_ZERO}`,
    'fatal: no data (mpirun detected that one or more processes exited with non-zero status, thus causing the job to be terminated. The first process to do so was: Process name: [[12345,1],1], Exit code: 3)',
  ],
  [
    'the signal that mpirun reports',
    `epoch 3\n${RULE}
mpirun noticed that process rank 1 with PID 0 on node job-worker-1 exited on signal 9 (Killed).
${RULE}`,
    'mpirun noticed that process rank 1 with PID 0 on node job-worker-1 exited on signal 9 (Killed).',
  ],
  [
    'the executable that mpirun cannot find',
    `${RULE}
mpirun was unable to launch the specified application as it could not access
or execute an executable:

Executable: ./train
Node: job-worker-0

while attempting to start process rank 0.
${RULE}
2 total processes failed to start`,
    'mpirun was unable to launch the specified application as it could not access or execute an executable: Executable: ./train, Node: job-worker-0',
  ],
  [
    'too few slots for mpirun',
    `${RULE}
There are not enough slots available in the system to satisfy the 4
slots that were requested by the application:

  python

Either request fewer slots for your application, or make more slots
available for use.

A "slot" is the Open MPI term for an allocatable unit where we can
launch a process.  The number of slots available are defined by the
environment in which Open MPI processes are run:
${RULE}`,
    'There are not enough slots available in the system to satisfy the 4 slots that were requested by the application: python',
  ],
  [
    'a call of MPI_Abort, with the line before it',
    `bad input\n${RULE}
MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD
with errorcode 1.

NOTE: invoking MPI_ABORT causes Open MPI to kill all MPI processes.
You may or may not see output from other processes, depending on
exactly when Open MPI kills them.
${RULE}`,
    'bad input (MPI_ABORT was invoked on rank 0 in communicator MPI_COMM_WORLD with errorcode 1.)',
  ],
  [
    'the signal that hydra reports',
    `epoch 1\n\n${hydra('EXIT CODE: 9')}
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions`,
    'PID 12 RUNNING AT job-worker-0, EXIT CODE: 9: Killed (signal 9)',
  ],
  [
    'the file that hydra cannot execute',
    `[proxy:0:0@job-worker-0] HYDU_create_process (utils/launch/launch.c:74): execvp error on file ./train (No such file or directory)
${hydra('EXIT CODE: 255')}`,
    '[proxy:0:0@job-worker-0] HYDU_create_process (utils/launch/launch.c:74): execvp error on file ./train (No such file or directory)',
  ],
  [
    'the exit code that hydra reports, with the line before it',
    `no data\n\n${hydra('EXIT CODE: 3')}`,
    'no data (PID 12 RUNNING AT job-worker-0, EXIT CODE: 3)',
  ],
  [
    'the exception under horovodrun',
    `[1]<stderr>:Traceback (most recent call last):
[1]<stderr>:  File "train.py", line 3, in <module>
[1]<stderr>:    raise ValueError("bad")
[1]<stderr>:ValueError: bad
${HORVODRUN}`,
    'ValueError: bad',
  ],
  [
    'the process that horovodrun names',
    HORVODRUN,
    'RuntimeError: Horovod detected that one or more processes exited with non-zero status, thus causing the job to be terminated. The first process to do so was: Process name: 1, Exit code: 1',
  ],
  [
    'the exception in a task of Ray',
    `\u001B[36m(f pid=321, ip=10.0.0.4)\u001B[0m starting
Traceback (most recent call last):
  File "/home/ray/train.py", line 20, in <module>
    ray.get(f.remote())
  File "/home/ray/anaconda3/lib/python3.9/site-packages/ray/_private/worker.py", line 2613, in get
    raise value.as_instanceof_cause()
ray.exceptions.RayTaskError(ValueError): \u001B[36mray::f()\u001B[39m (pid=321, ip=10.0.0.4)
  File "/home/ray/train.py", line 12, in f
    raise ValueError("bad shard")
ValueError: bad shard
`,
    'ValueError: bad shard',
  ],
  [
    'the death of a Ray actor',
    `Traceback (most recent call last):
  File "/home/ray/train.py", line 20, in <module>
    ray.get(a.f.remote())
ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.
\tclass_name: A
\tactor_id: 26d2ba9f04b0
\tpid: 1234
`,
    'ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.',
  ],
  [
    'an exception that is printed three times only once',
    `${'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: bad\n'.repeat(3)}`,
    'ValueError: bad',
  ],
  [
    "only the command of accelerate's launcher",
    `Traceback (most recent call last):
  File "/usr/local/lib/python3.11/site-packages/accelerate/commands/launch.py", line 717, in simple_launcher
    raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)
subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.`,
    "subprocess.CalledProcessError: Command '['python', 'train.py']' returned non-zero exit status 1.",
  ],
  [
    'the status with which the service of JAX ends a process, instead of a stack trace',
    `epoch 3\n${JAX_STALE}`,
    'Terminating process because the JAX distributed service detected fatal errors: UNAVAILABLE: The following tasks are unhealthy ' +
      '(stopped sending heartbeats): 1 The tasks have crashed. Check the task logs for an earlier error, or scheduler events (e.g. ' +
      'preemption, eviction) to debug further.',
  ],
  [
    'the exception that came before the service of JAX ended the process',
    `Traceback (most recent call last):
  File "/workspace/train.py", line 12, in <module>
    raise ValueError("no data in /data")
ValueError: no data in /data
${JAX_STALE}`,
    'ValueError: no data in /data',
  ],
  [
    'the check that failed in a C++ library',
    `epoch 3\nF0101 00:00:00.000000      17 literal.cc:42] Check failed: rank == 2 (3 vs. 2)\n${ABSL_TRACE}`,
    'Check failed: rank == 2 (3 vs. 2)',
  ],
  ['lines of an unknown format unchanged', 'loading\nno data\n', 'loading\nno data'],
  ['no separator lines', `no data\n${'='.repeat(60)}\n`, 'no data'],
  [
    'the last lines of a program that continued long after an exception',
    `Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: retried\n${'step\n'.repeat(20)}no data`,
    `Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: retried\n${'step\n'.repeat(20)}no data`,
  ],
];

describe('errorMessage', () => {
  it.each(CASES)('reports %s', (_what, output, message) => {
    expect(errorMessage(output)).toBe(message);
  });

  it.each(CASES)('returns its own result unchanged: %s', (_what, _output, message) => {
    expect(errorMessage(message)).toBe(message);
  });

  it.each([
    ['met\nSegmentation fault', 'Segmentation fault'],
    ['step 1\nstep 2\nAborted (core dumped)', 'Aborted (core dumped)'],
    [
      'step 1\nrun.sh: line 3: 17 Killed                  python train.py',
      'run.sh: line 3: 17 Killed                  python train.py',
    ],
    ['Killed the old pods\nstep 2', 'Killed the old pods\nstep 2'],
  ])("is the shell's line about a child that a signal killed: %j", (output, expected) => {
    expect(errorMessage(output)).toBe(expected);
  });

  it("is the reason why a container cannot be started, without the runtime's prefixes", () => {
    const output =
      'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start ' +
      'container process: exec: "trian.py": executable file not found in $PATH: unknown';
    expect(errorMessage(output)).toBe('exec: "trian.py": executable file not found in $PATH: unknown');
  });

  it('ignores warnings that a library logs', () => {
    const line =
      '[W1126 04:09:58.631533186 socket.cpp:759] [c10d] The IPv6 network addresses of (mnist-worker-0, 23456) cannot be retrieved';
    expect(errorMessage(`${line}\n${line}`)).toBeUndefined();
    expect(errorMessage(`loading\n${line}\nno data\n${line}`)).toBe('loading\nno data');
  });

  it('ignores the line with which Gloo reports that a process is connected', () => {
    const line = '[Gloo] Rank 2 is connected to 2 peer ranks. Expected number of connected peer ranks is : 2';
    expect(errorMessage(`${line}\n`)).toBeUndefined();
    expect(errorMessage(`loading\n${line}\nno data`)).toBe('loading\nno data');
  });

  it.each(['', ' \n', undefined, `${RULE}\n${RULE}`])('is undefined for an empty output: %j', (output) => {
    expect(errorMessage(output)).toBeUndefined();
  });

  it('keeps the start of a long exception', () => {
    const output = `Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: ${'x'.repeat(900)}`;
    const message = errorMessage(output) ?? '';
    expect(message).toMatch(/^ValueError: x+…$/);
    expect(message).toHaveLength(300);
  });

  it('takes time linear in the length of the text', () => {
    for (const hard of ['  File "', '[1', '='.repeat(40), 'a: b: '.repeat(9)]) {
      const startMs = performance.now();
      errorMessage(`${hard}\n`.repeat(20_000));
      expect(performance.now() - startMs, hard).toBeLessThan(5000);
    }
  });
});

describe('a process that the service of JAX ends', () => {
  it.each([
    ['the heartbeats of another have stopped', JAX_STALE],
    ['the same, in the shortened message', errorMessage(JAX_STALE)],
    ['another was restarted, and the start of the report is cut', JAX_RESTARTED_PEER],
  ])('has lost a peer: %s', (_what, message) => {
    expect(namesLostPeer(peerLossOf({ message }))).toBe(true);
  });

  it('has not reached a peer that did not register in time', () => {
    for (const text of [peerLossOf({ message: JAX_LATE }), errorMessage(JAX_LATE) ?? '']) {
      expect([namesLostPeer(text), namesUnreachedPeer(text)]).toEqual([false, true]);
    }
  });

  it('has failed by itself if it has raised another exception before', () => {
    const output = `Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: bad\n${JAX_STALE}`;
    expect(namesLostPeer(peerLossOf({ message: output }))).toBe(false);
  });

  it('is reported without the stack trace if the start of the report is cut', () => {
    expect(errorMessage(JAX_RESTARTED_PEER)).not.toMatch(/absl::lts|Polled an error/);
  });
});

describe('errorOf', () => {
  it('parses each message once', () => {
    let reads = 0;
    const end = {
      get message() {
        reads += 1;
        return 'ValueError: no data';
      },
    };
    expect([errorOf(end), errorOf(end), errorOf(end)]).toEqual(Array(3).fill('ValueError: no data'));
    expect(reads).toBe(1);
    expect([peerLossOf(end), peerLossOf(end)]).toEqual(Array(2).fill(peerLossOf({ message: 'ValueError: no data' })));
    expect(reads).toBe(2);
  });

  it('does not share results between equal terminations', () => {
    expect([errorOf({ message: 'one' }), errorOf({ message: 'two' }), errorOf({})]).toEqual(['one', 'two', undefined]);
  });
});
