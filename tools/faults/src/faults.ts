/** The faults. Pods of each job run without errors except for the fault. */
import type { KubeObject, Resource } from '@muster/job-api';
import { PODS } from '@muster/job-api';
import type { Fault, Place } from './fault.ts';
import { jobOf, IMAGE, JAX_IMAGE, PADDLE_IMAGE, type FormName, type Role } from './jobs.ts';
import { WAITING_FAULTS } from './waiting-faults.ts';
import { gloo, jax, launchedByPaddle, mesh, shell, SLEEP } from './programs.ts';

const CORE = { group: '', version: 'v1', namespaced: true } as const;
const NODES: Resource<KubeObject> = { ...CORE, kind: 'Node', plural: 'nodes', namespaced: false };
const PRIORITY_CLASSES: Resource<KubeObject & { value?: number }> = {
  ...{ group: 'scheduling.k8s.io', version: 'v1', kind: 'PriorityClass', plural: 'priorityclasses', namespaced: false },
};
/** An extended resource of which the node has one. */
const SLOT = 'faults.muster.dev/slot';

/** A PriorityClass above those of all jobs. */
const HIGH = 'faults-high';

/** One of three ranks fails, and its peers fail because of it. */
function ofRank(
  name: string,
  what: string,
  fault: string,
  expected: Partial<NonNullable<Fault['expected']>>,
  rank = 1,
): Fault {
  const worker = { replicas: 3, command: shell(mesh(rank, fault)) };
  return {
    ...{
      name,
      what: `rank ${rank} of 3 ${what}; its peers lose their connections`,
      ...jobOf('pytorch', { Worker: worker }),
    },
    expected: { pod: `${name}-worker-${rank}`, class: 'Program', container: 'pytorch', ...expected },
  };
}

/** A pod of one role fails. */
function ofRole(
  name: string,
  form: FormName,
  roles: Record<string, Role>,
  expected: NonNullable<Fault['expected']>,
  what: string,
): Fault {
  return { name, what, ...jobOf(form, roles), expected };
}

/** The second of two workers cannot start. */
function unstarted(name: string, what: string, bad: Role, expected: Partial<NonNullable<Fault['expected']>>): Fault {
  const roles = { Chief: {}, Worker: bad };
  return {
    ...{ name, what, ...jobOf('tensorflow', roles) },
    expected: { pod: `${name}-worker-0`, class: 'Refused', ...expected },
  };
}

async function evict({ client, namespace }: Place, pod: string): Promise<void> {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace } };
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}/eviction`;
  const { code, text } = await client.proxied({ method: 'POST', path, body });
  if (code !== 201) throw new Error(`the eviction of ${pod} failed with ${code}: ${text}`);
}

async function preempt({ client, namespace }: Place): Promise<void> {
  const container = { name: 'main', image: IMAGE, command: [...SLEEP], resources: { limits: { [SLOT]: '1' } } };
  await client.create(PODS, {
    metadata: { name: 'preemptor', namespace },
    spec: { priorityClassName: HIGH, terminationGracePeriodSeconds: 1, containers: [container] },
  });
}

const BY_ITSELF: readonly Fault[] = [
  ofRank('segfault', 'accesses invalid memory', 'ctypes.string_at(0)', {
    signal: 'SIGSEGV',
    exitCode: 139,
  }),
  ofRank('segfault-of-rank-0', 'accesses invalid memory', 'ctypes.string_at(0)', { signal: 'SIGSEGV' }, 0),
  ofRank('abort', 'aborts itself', 'os.abort()', { signal: 'SIGABRT', exitCode: 134 }),
  ofRank('killed', 'is killed', 'os.kill(os.getpid(), signal.SIGKILL)', { signal: 'SIGKILL', exitCode: 137 }),
  ofRank('exit-42', 'exits with 42', 'sys.exit(42)', { exitCode: 42 }, 2),
  ofRank('exception', 'raises an exception', 'raise ValueError("no such shard: 7")', { exitCode: 1 }, 2),
  ofRank('import', 'imports a missing module', 'import not_installed', { exitCode: 1 }),
  {
    ...{ name: 'gloo-rank-gone', what: 'rank 2 of 3 exits during a training with gloo' },
    ...jobOf('pytorch', { Worker: { replicas: 3, command: shell(gloo(2, 'os._exit(3)')) } }),
    expected: { pod: 'gloo-rank-gone-worker-2', class: 'Program', exitCode: 3 },
  },
  {
    ...{ name: 'gloo-rank-killed', what: 'rank 0 of 3 is killed during a training with gloo' },
    ...jobOf('pytorch', { Worker: { replicas: 3, command: shell(gloo(0, 'os.kill(os.getpid(), 9)')) } }),
    expected: { pod: 'gloo-rank-killed-worker-0', class: 'Program', signal: 'SIGKILL' },
  },
];

/** One of three processes of a JAXJob fails or stops. */
function ofProcess(name: string, what: string, rank: number, fault: string, expected: NonNullable<Fault['expected']>) {
  const Worker = { replicas: 3, command: shell(jax(rank, fault)), container: { image: JAX_IMAGE } };
  return { name, what, ...jobOf('jax', { Worker }), expected };
}

const OF_JAX: readonly Fault[] = [
  ofProcess('jax-exits', 'process 2 of 3 exits during a training', 2, 'os._exit(3)', {
    ...{ pod: 'jax-exits-worker-2', class: 'Program', exitCode: 3 },
  }),
  ofProcess('jax-coordinator', 'process 0 of 3 is killed; JAX aborts the others', 0, 'os.kill(os.getpid(), 9)', {
    ...{ pod: 'jax-coordinator-worker-0', class: 'Program', signal: 'SIGKILL' },
  }),
  ofProcess(
    'jax-stopped',
    'process 1 of 3 stops without an end; JAX aborts the others',
    1,
    'os.kill(os.getpid(), 19)',
    {
      ...{ class: 'Cascade', exitCode: 134 },
    },
  ),
];

/** One of three workers of a PaddleJob fails. */
function ofPaddle(name: string, what: string, fault: string, expected: Partial<NonNullable<Fault['expected']>>): Fault {
  const Worker = { replicas: 3, command: launchedByPaddle(2, fault), container: { image: PADDLE_IMAGE } };
  return {
    ...{ name, what: `worker 2 of 3 ${what} during a training`, ...jobOf('paddle', { Worker }) },
    expected: { pod: `${name}-worker-2`, class: 'Program', ...expected },
  };
}

const OF_PADDLE: readonly Fault[] = [
  ofPaddle('paddle-exits', 'exits', 'os._exit(3)', { exitCode: 3 }),
  ofPaddle('paddle-exception', 'raises an exception', 'raise ValueError("no such shard: 7")', { exitCode: 1 }),
  ofPaddle('paddle-killed', 'is killed', 'os.kill(os.getpid(), 9)', {}),
];

const OF_ROLES: readonly Fault[] = [
  ofRole(
    ...(['oom', 'tensorflow'] as const),
    {
      Worker: { replicas: 2 },
      PS: {
        command: ['python', '-c', 'x = bytearray(300_000_000); print(len(x))'],
        container: { resources: { limits: { memory: '64Mi' } } },
      },
    },
    { pod: 'oom-ps-0', class: 'OutOfMemory', reason: 'OOMKilled' },
    'a parameter server uses more memory than its limit',
  ),
  ofRole(
    ...(['oom-of-child', 'mxnet'] as const),
    {
      ...{ Scheduler: {}, Server: {} },
      Worker: {
        command: shell('x = bytearray(300_000_000); print(len(x))'),
        container: { resources: { limits: { memory: '64Mi' } } },
      },
    },
    { pod: 'oom-of-child-worker-0', class: 'OutOfMemory' },
    'a child of the first process uses more memory than the limit',
  ),
  ofRole(
    ...(['ps-dies', 'tensorflow'] as const),
    { Worker: { replicas: 2 }, PS: { command: ['sh', '-c', 'echo no port; exit 1'] } },
    { pod: 'ps-dies-ps-0', class: 'Program', exitCode: 1, message: 'no port' },
    'a parameter server exits with 1',
  ),
  ofRole(
    ...(['mx-server', 'mxnet'] as const),
    { Scheduler: {}, Server: { command: shell('import ctypes; ctypes.string_at(0)') }, Worker: {} },
    { pod: 'mx-server-server-0', class: 'Program', signal: 'SIGSEGV' },
    'a server accesses invalid memory',
  ),
  ofRole(
    ...(['mx-scheduler', 'mxnet'] as const),
    { Scheduler: { command: ['sh', '-c', 'exit 5'] }, Server: {}, Worker: {} },
    { pod: 'mx-scheduler-scheduler-0', class: 'Program', exitCode: 5 },
    'the scheduler exits with 5',
  ),
  ofRole(
    ...(['mpi-v1', 'mpi v1'] as const),
    { Launcher: { command: ['sh', '-c', 'echo rank 3 has died; exit 7'] }, Worker: {} },
    { pod: 'mpi-v1-launcher', class: 'Program', exitCode: 7, message: 'rank 3 has died' },
    'the launcher of a v1 job exits with 7',
  ),
  ofRole(
    ...(['wrong-command', 'tensorflow'] as const),
    { Worker: { command: ['trian.py'] }, PS: {} },
    { pod: 'wrong-command-worker-0', class: 'Program' },
    'the command is not in the image',
  ),
  ofRole(
    ...(['not-executable', 'tensorflow'] as const),
    { Worker: { command: ['/etc/hostname'] }, PS: {} },
    { pod: 'not-executable-worker-0', class: 'Program' },
    'the command cannot be executed',
  ),
  ofRole(
    ...(['init-container', 'pytorch'] as const),
    {
      Worker: {
        replicas: 1,
        pod: { initContainers: [{ name: 'fetch', image: IMAGE, command: ['sh', '-c', 'echo no data; exit 3'] }] },
      },
    },
    { pod: 'init-container-worker-0', class: 'Program', container: 'fetch', exitCode: 3, message: 'no data' },
    'an init container exits with 3',
  ),
  ofRole(
    ...(['liveness', 'pytorch'] as const),
    {
      Worker: {
        container: { livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 2 } },
      },
    },
    { pod: 'liveness-worker-0', class: 'Program', exitCode: 137 },
    'a liveness probe fails',
  ),
  ofRole(
    ...(['pod-deadline', 'pytorch'] as const),
    { Worker: { pod: { activeDeadlineSeconds: 5 } } },
    { pod: 'pod-deadline-worker-0', class: 'Program', reason: 'DeadlineExceeded' },
    'the pod exceeds its activeDeadlineSeconds',
  ),
];

const UNABLE_TO_START: readonly Fault[] = [
  unstarted(
    'bad-image-name',
    'an image name is invalid',
    { container: { image: 'Not//A:Name' } },
    { class: 'Image', reason: 'InvalidImageName' },
  ),
  unstarted(
    'no-image',
    'an image is not on the node, and imagePullPolicy is Never',
    { container: { image: 'nowhere.example/a:1', imagePullPolicy: 'Never' } },
    { class: 'Image', reason: 'ErrImageNeverPull' },
  ),
  unstarted(
    'pull-fails',
    'an image cannot be pulled',
    { container: { image: 'registry.invalid/a:1' } },
    { class: 'Image' },
  ),
  unstarted(
    'no-secret',
    'a Secret is missing',
    { container: { envFrom: [{ secretRef: { name: 'nothing' } }] } },
    { reason: 'CreateContainerConfigError' },
  ),
  unstarted(
    ...(['no-key', 'a ConfigMap lacks a key'] as const),
    {
      container: {
        env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'kube-root-ca.crt', key: 'nothing' } } }],
      },
    },
    { reason: 'CreateContainerConfigError' },
  ),
];

const SOON = ['unreachable', 'not-ready'].map((taint) => ({
  ...{ key: `node.kubernetes.io/${taint}`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
}));

/** @param second the name of the node that is lost */
function byTheCluster(second: string): readonly Fault[] {
  return [
    unstarted(
      'node-refuses',
      'the node has too few CPUs for a pod that is bound to it',
      { pod: { nodeName: second }, container: { resources: { requests: { cpu: '1000' } } } },
      { reason: 'OutOfcpu' },
    ),
    {
      ...{
        name: 'evicted',
        what: 'the Eviction API evicts a worker',
        ...jobOf('pytorch', { Worker: { replicas: 2 } }),
      },
      inject: (place) => evict(place, 'evicted-worker-1'),
      expected: { pod: 'evicted-worker-1', class: 'Evicted' },
    },
    {
      ...{ name: 'preempted', what: 'a pod of a higher priority preempts a worker' },
      ...jobOf('pytorch', { Worker: { container: { resources: { limits: { [SLOT]: '1' } } } } }),
      // Created early, because the API server's admission sees new classes with a delay.
      prepare: async ({ client }) => {
        await client.create(PRIORITY_CLASSES, { metadata: { name: HIGH }, value: 1000 });
        await client.patchStatus(NODES, { name: second }, { status: { capacity: { [SLOT]: '1' } } });
      },
      inject: preempt,
      expected: { pod: 'preempted-worker-0', class: 'Preempted' },
    },
    {
      ...{ name: 'node-lost', what: "the kubelet of a worker's node stops" },
      ...jobOf('pytorch', {
        Worker: { pod: { nodeSelector: { 'kubernetes.io/hostname': second }, tolerations: SOON } },
      }),
      inject: (place) => {
        place.stopKubelet();
        return Promise.resolve();
      },
      expected: { pod: 'node-lost-worker-0', class: 'NodeLost', node: second },
      isLast: true,
    },
  ];
}

export function faults(second: string): readonly Fault[] {
  return [
    ...BY_ITSELF,
    ...OF_JAX,
    ...OF_PADDLE,
    ...OF_ROLES,
    ...UNABLE_TO_START,
    ...WAITING_FAULTS,
    ...byTheCluster(second),
  ];
}
