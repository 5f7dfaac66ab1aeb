/** The expected output of `muster why` for each fault. */
import type { ExpectedAnswer } from './fault.ts';

/** One of three ranks fails: the next step is its log. */
function ofRank(name: string, rank: number, ...causes: readonly string[]): ExpectedAnswer {
  return {
    headline: ['has failed', `pod ${name}-worker-${rank}`, ...causes],
    cause: [`First to fail: worker-${rank}`],
    next: `muster logs pytorchjob/${name} --replica worker-${rank}`,
  };
}

/** The third of three workers fails: the next step is its log. */
function ofPaddle(name: string, ...causes: readonly string[]): ExpectedAnswer {
  return {
    headline: ['has failed', `pod ${name}-worker-2`, ...causes],
    cause: ['First to fail: worker-2'],
    next: `muster logs paddlejob/${name} --replica worker-2`,
  };
}

const PYTORCH = 'spec.pytorchReplicaSpecs.Worker.template.spec';
const TENSORFLOW = 'spec.tfReplicaSpecs.Worker.template.spec';

export const ANSWERS: Readonly<Partial<Record<string, ExpectedAnswer>>> = {
  segfault: ofRank('segfault', 1, '139 (SIGSEGV)', 'Segmentation fault'),
  'segfault-of-rank-0': ofRank('segfault-of-rank-0', 0, '139 (SIGSEGV)'),
  abort: ofRank('abort', 1, '134 (SIGABRT)'),
  killed: ofRank('killed', 1, '137 (SIGKILL)'),
  'exit-42': ofRank('exit-42', 2, 'exit code 42'),
  exception: ofRank('exception', 2, 'ValueError: no such shard: 7'),
  import: ofRank('import', 1, "No module named 'not_installed'"),
  'gloo-rank-gone': ofRank('gloo-rank-gone', 2, 'exit code 3'),
  'gloo-rank-killed': ofRank('gloo-rank-killed', 0, '137 (SIGKILL)'),
  'jax-exits': {
    headline: ['has failed', 'pod jax-exits-worker-2', 'exit code 3'],
    next: 'muster logs jaxjob/jax-exits --replica worker-2',
  },
  'jax-coordinator': {
    headline: ['has failed', 'pod jax-coordinator-worker-0', '137 (SIGKILL)'],
    next: 'muster logs jaxjob/jax-coordinator --replica worker-0',
  },
  'jax-stopped': {
    headline: ['has failed', '134 (SIGABRT)', 'The following tasks are unhealthy (stopped sending heartbeats): 1'],
    cause: ['It failed because another process had ended.'],
    next: 'muster events jaxjob/jax-stopped',
  },
  'paddle-exits': ofPaddle('paddle-exits', 'exit code 3'),
  'paddle-exception': ofPaddle('paddle-exception', 'exit code 1', 'ValueError: no such shard: 7'),
  'paddle-killed': ofPaddle('paddle-killed'),
  oom: {
    headline: ['has failed', 'pod oom-ps-0', 'OOMKilled'],
    cause: ['used more memory than its limit'],
    next: 'Raise spec.tfReplicaSpecs.PS.template.spec.containers[0].resources.limits.memory (64Mi)',
  },
  'oom-of-child': {
    headline: ['has failed', 'pod oom-of-child-worker-0', 'OOMKilled'],
    next: 'Raise spec.mxReplicaSpecs.Worker.template.spec.containers[0].resources.limits.memory (64Mi)',
  },
  'ps-dies': {
    headline: ['has failed', 'pod ps-dies-ps-0', 'no port'],
    next: 'muster logs tfjob/ps-dies --replica ps-0',
  },
  'mx-server': {
    headline: ['has failed', 'pod mx-server-server-0', '139 (SIGSEGV)'],
    next: 'muster logs mxjob/mx-server --replica server-0',
  },
  'mx-scheduler': {
    headline: ['has failed', 'pod mx-scheduler-scheduler-0', 'exit code 5'],
    next: 'muster logs mxjob/mx-scheduler --replica scheduler-0',
  },
  'mpi-v1': {
    headline: ['has failed', 'pod mpi-v1-launcher', 'rank 3 has died'],
    next: 'muster logs mpijob/mpi-v1 --replica launcher',
  },
  'wrong-command': {
    headline: ['has failed', 'exec: "trian.py": executable file not found'],
    next: `Correct ${TENSORFLOW}.containers[0].command (trian.py)`,
  },
  'not-executable': {
    headline: ['has failed', 'permission denied'],
    next: `Correct ${TENSORFLOW}.containers[0].command (/etc/hostname)`,
  },
  'init-container': {
    headline: ['has failed', 'container fetch: exit code 3', 'no data'],
    next: 'muster logs pytorchjob/init-container --replica worker-0 -c fetch',
  },
  liveness: {
    headline: ['has failed', 'Its liveness probe failed.'],
    next: `Correct ${PYTORCH}.containers[0].livenessProbe`,
  },
  'pod-deadline': {
    headline: ['has failed', 'Pod was active on the node longer than the specified deadline'],
    next: `Raise ${PYTORCH}.activeDeadlineSeconds (5)`,
  },
  'bad-image-name': {
    headline: ['worker-0 does not start: InvalidImageName'],
    next: `Correct ${TENSORFLOW}.containers[0].image (Not//A:Name)`,
  },
  'no-image': {
    headline: ['worker-0 does not start: ErrImageNeverPull'],
    next: `Correct ${TENSORFLOW}.containers[0].image (nowhere.example/a:1)`,
  },
  'pull-fails': {
    headline: ['worker-0 does not start:'],
    cause: ['registry.invalid/a:1'],
    next: `Correct ${TENSORFLOW}.containers[0].image (registry.invalid/a:1)`,
  },
  'no-secret': {
    headline: ['worker-0 does not start: CreateContainerConfigError: secret "nothing" not found'],
    next: 'Create Secret nothing in namespace default',
  },
  'no-key': {
    headline: ['worker-0 does not start: CreateContainerConfigError', "couldn't find key nothing"],
    next: 'Add the key nothing to ConfigMap kube-root-ca.crt',
  },
  'crash-loop': {
    headline: ['is Running, 0/3 ready.', 'keeps failing', "No module named 'nosuchmodule'", 'backoffLimit is unset'],
    next: 'muster logs pytorchjob/crash-loop --replica worker-',
  },
  'restart-loop': {
    headline: ['worker-0', 'keeps failing', 'exit code 137', 'lost the lock', 'backoffLimit is unset'],
    cause: ['Its restarts are not limited.'],
    next: 'muster ',
  },
  'start-error-loop': {
    headline: ['keeps failing', 'exec: "trian.py": executable file not found'],
    next: `Correct ${PYTORCH}.containers[0].command (trian.py)`,
  },
  'launcher-loop': {
    headline: ['keeps failing', 'exit code 9: no hosts'],
    next: 'muster logs mpijob/launcher-loop --replica launcher',
  },
  quota: {
    headline: ['is waiting: Created', 'exceeded quota: team-pods'],
    next: 'kubectl describe resourcequota team-pods',
  },
  'too-large': {
    headline: ['worker-0 does not start: Unschedulable', 'Insufficient cpu'],
    next: `Lower ${PYTORCH}.containers[0].resources.requests[cpu] (4000), or add nodes`,
  },
  'no-such-node': {
    headline: ['worker-0 does not start: Unschedulable', 'node affinity/selector'],
    next: `Correct ${TENSORFLOW}.nodeSelector (gpu=h100)`,
  },
  'no-claim': {
    headline: ['worker-0 does not start: Unschedulable', 'persistentvolumeclaim "imagenet" not found'],
    next: 'Create PersistentVolumeClaim imagenet in namespace default',
  },
  'unbound-claim': {
    headline: ['worker-0 does not start: Unschedulable', 'unbound immediate PersistentVolumeClaims'],
    next: 'kubectl describe pvc slow-disk',
  },
  'no-secret-volume': {
    headline: ['worker-0 does not start: FailedMount', 'secret "wandb-token" not found'],
    next: 'Create Secret wandb-token in namespace default',
  },
  'no-scheduler': {
    headline: ['no scheduler has reported why: its schedulerName is nowhere.'],
    next: 'Correct schedulerName in the pod template (nowhere)',
  },
  'never-ready': {
    headline: ['worker-0 is not ready: its readinessProbe fails.'],
    next: 'muster logs pytorchjob/never-ready --replica worker-0',
  },
  'init-hangs': {
    headline: ['worker-0 runs its init container fetch'],
    next: 'muster logs pytorchjob/init-hangs --replica worker-0 -c fetch',
  },
  'invalid-template': {
    headline: ['has an invalid spec', 'volumeMounts[0].name: Not found: "data"'],
    next: 'kubectl edit pytorchjobs.kubeflow.org invalid-template',
  },
  typo: {
    headline: ['is Running, 1/1 ready'],
    cause: ['unknown field "spec.containers[0].imagePullPolcy"'],
    next: 'Correct the unknown field in the manifest',
  },
  'gang-scheduler': {
    headline: ['is waiting: Created', 'unknown gang scheduler volcano'],
    next: 'kubectl edit pytorchjobs.kubeflow.org gang-scheduler',
  },
  hangs: {
    headline: ['is Running, 2/2 ready. Its program does not report progress.'],
    cause: ['The last line of the log of worker-0 is', 'step 7'],
    next: 'muster logs pytorchjob/hangs -f',
  },
  'restarted-rank': {
    headline: ['is Running', 'The other replicas may wait for worker-0, which has restarted'],
    cause: ['exit code 3'],
    next: 'Set RestartJob in spec.runPolicy.failurePolicy',
  },
  'torchrun-typo': {
    headline: ['has failed', "can't open file", 'trian.py'],
    next: 'muster logs pytorchjob/torchrun-typo --replica worker-0',
  },
  'no-sshd': {
    headline: ['has failed', 'ssh: connect to host', 'Connection refused'],
    next: 'muster logs mpijob/no-sshd --replica launcher',
  },
  'deleted-pod': {
    headline: ['has failed', 'eleted-pod-worker-2 was deleted by a user or another controller'],
    cause: ['audit log'],
    next: 'muster events pytorchjob/deleted-pod',
  },
  'scratch-full': {
    headline: ['has failed', 'Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"'],
    next: 'Raise the sizeLimit of the volume scratch',
  },
  deadline: {
    headline: ['has failed', 'active longer than specified deadline'],
    next: 'Raise spec.runPolicy.activeDeadlineSeconds (20)',
  },
  'backoff-limit': {
    headline: ['has failed', 'reached the specified backoff limit. First: pod backoff-limit-worker-0', 'no data'],
    next: 'Correct the error above',
  },
  'no-operator': {
    headline: ['is waiting: no operator has reconciled it yet'],
    cause: ['No namespace has a Lease of an operator for ray'],
    next: 'kubectl get deployments -A -l app.kubernetes.io/name=muster-ray',
  },
  'operator-gone': {
    headline: ['Pods are missing (1 of 1 Worker), and no operator creates them.'],
    cause: ['its operator has stopped'],
    next: 'kubectl get deployments -A -l app.kubernetes.io/name=muster-mxnet',
  },
  'node-refuses': {
    headline: ['Pod was rejected', 'cpu'],
    next: `Lower ${TENSORFLOW}.containers[0].resources.requests.cpu`,
  },
  evicted: {
    headline: ['is Running, 2/2 ready'],
    next: 'muster logs pytorchjob/evicted -f',
  },
  preempted: {
    headline: ['worker-0 does not start: Unschedulable', 'Insufficient faults.muster.dev/slot'],
    next: `Lower ${PYTORCH}.containers[0].resources.limits[faults.muster.dev/slot] (1), or add nodes`,
  },
  'node-lost': {
    headline: ['worker-0 on faults-node-2 is still terminating after its grace period.', 'The node may be lost.'],
    next: 'kubectl describe nodes faults-node-2',
  },
};
