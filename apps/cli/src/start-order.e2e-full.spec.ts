/**
 * Roles that wait for others on a real node. Pods start after random delays. No program of a waiting role may start before all programs
 * that it waits for have started, or, with an init container, before they listen.
 */
import {
  ANNOTATIONS,
  LABELS,
  MPI_JOBS,
  MX_CONTAINER,
  MX_JOBS,
  PODS,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  TF_CONTAINER,
  TF_JOBS,
  RAY_CLUSTERS,
  type FrameworkName,
  type JobStatus,
  type KubeObject,
  type Pod,
  type PodTemplateSpec,
  type RayCluster,
  type Resource,
  type ServiceMode,
  type StartOrder,
} from '@muster/job-api';
import { eventually, trainingFixture, TRAINING_TIMEOUT_MS, type TrainingFixture } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const IMAGE = 'muster.local/torch-examples:2.6';
const LONGEST_DELAY_SECONDS = 5;

const stages: Readonly<Partial<Record<FrameworkName, TrainingFixture>>> = {
  tensorflow: await trainingFixture('tensorflow', TF_CONTAINER),
  'pytorch-elastic': await trainingFixture('pytorch-elastic', PYTORCH_CONTAINER),
  mpi: await trainingFixture('mpi', 'main'),
  mxnet: await trainingFixture('mxnet', MX_CONTAINER),
  ray: await trainingFixture('ray', 'ray-head'),
};

type Job = KubeObject & { status?: JobStatus };

interface Case {
  readonly what: string;
  readonly framework: FrameworkName;
  readonly resource: Resource;
  readonly field: string;
  readonly container: string;
  readonly spec?: object;
  /** Replicas by role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Default: that of the framework. */
  readonly startOrder?: StartOrder;
  /** Roles in the order of their start; some start together. */
  readonly order: readonly (string | readonly string[])[];
  readonly mode?: ServiceMode;
  /** The program. Default: it does not listen on a port. */
  readonly command?: string[];
}

const TF = { framework: 'tensorflow', resource: TF_JOBS, field: 'tfReplicaSpecs', container: TF_CONTAINER } as const;
const PYTORCH = {
  framework: 'pytorch-elastic',
  resource: PYTORCH_JOBS,
  field: 'pytorchReplicaSpecs',
  container: PYTORCH_CONTAINER,
} as const;
const MPI = { framework: 'mpi', resource: MPI_JOBS, field: 'mpiReplicaSpecs', container: 'main' } as const;
const MX = { framework: 'mxnet', resource: MX_JOBS, field: 'mxReplicaSpecs', container: MX_CONTAINER } as const;

const CASES: readonly Case[] = [
  {
    ...TF,
    what: 'tf-ordered',
    roles: { PS: 2, Worker: 2, Chief: 1 },
    startOrder: [
      { role: 'Worker', dependsOn: ['PS'] },
      { role: 'Chief', dependsOn: ['Worker'], status: 'Ready' },
    ],
    order: ['PS', 'Worker', 'Chief'],
  },
  {
    ...PYTORCH,
    what: 'torch-ordered',
    roles: { Master: 1, Worker: 3 },
    startOrder: [{ role: 'Worker', dependsOn: ['Master'] }],
    order: ['Master', 'Worker'],
  },
  {
    ...MPI,
    what: 'mpi-ordered',
    roles: { Launcher: 1, Worker: 3 },
    startOrder: [{ role: 'Launcher', dependsOn: ['Worker'] }],
    order: ['Worker', 'Launcher'],
  },
  {
    ...MPI,
    what: 'mpi-own-order',
    spec: { launcherCreationPolicy: 'WaitForWorkersReady' },
    roles: { Launcher: 1, Worker: 2 },
    order: ['Worker', 'Launcher'],
  },
  {
    ...MX,
    what: 'mx-ordered',
    spec: { jobMode: 'MXTrain' },
    roles: { Scheduler: 1, Server: 2, Worker: 2 },
    startOrder: [
      { role: 'Server', dependsOn: ['Scheduler'] },
      { role: 'Worker', dependsOn: ['Server', 'Scheduler'], status: 'Ready' },
    ],
    order: ['Scheduler', 'Server', 'Worker'],
  },
  {
    ...MX,
    what: 'mx-own-order',
    spec: { jobMode: 'MXTrain' },
    roles: { Scheduler: 1, Server: 1, Worker: 1 },
    order: ['Scheduler', ['Server', 'Worker']],
  },
];

const WITHOUT_RIGHTS = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532 };

/** Listens on the port after a random delay, and logs the time. Does not listen if the host name ends with `never`. */
function listening(port: number, never = 'none'): string[] {
  const program = [
    'import os, random, socket, time',
    `if socket.gethostname().endswith('${never}'): time.sleep(3600)`,
    `time.sleep(random.uniform(0, ${LONGEST_DELAY_SECONDS}))`,
    `server = socket.create_server(('', ${port}), backlog=100)`,
    "print('listens', time.time(), flush=True)",
    'time.sleep(3600)',
  ];
  return ['python3', '-c', program.join('\n')];
}

/** Roles that wait in an init container, and whose pods are created at once. */
const AT_ONCE: readonly Case[] = [
  {
    ...TF,
    what: 'tf-at-once',
    roles: { PS: 2, Worker: 2, Chief: 1 },
    startOrder: [
      { role: 'Worker', dependsOn: ['PS'], initContainer: {} },
      { role: 'Chief', dependsOn: ['Worker', 'PS'], initContainer: {} },
    ],
    order: ['PS', 'Worker', 'Chief'],
    command: listening(2222),
  },
  {
    ...PYTORCH,
    what: 'torch-at-once',
    roles: { Master: 1, Worker: 3 },
    startOrder: [{ role: 'Worker', dependsOn: ['Master'], initContainer: { port: 29_400 } }],
    order: ['Master', 'Worker'],
    mode: 'PerReplica',
    command: listening(29_400),
  },
  {
    ...MX,
    what: 'mx-at-once',
    spec: { jobMode: 'MXTrain' },
    roles: { Scheduler: 1, Server: 2, Worker: 2 },
    startOrder: [
      { role: 'Server', dependsOn: ['Scheduler'], initContainer: {} },
      { role: 'Worker', dependsOn: ['Server'], initContainer: { timeoutSeconds: 600 } },
    ],
    order: ['Scheduler', 'Server', 'Worker'],
    mode: 'PerReplica',
    command: listening(9091),
  },
];

const IMAGE_OF_DELAY = { image: IMAGE, imagePullPolicy: 'IfNotPresent' as const };
const DELAY = ['python3', '-c', `import random, time; time.sleep(random.uniform(0, ${LONGEST_DELAY_SECONDS}))`];

/** The delay is random for each pod, so that replicas of one role differ, too. */
function template({ container, command = ['sleep', '3600'] }: Case): PodTemplateSpec {
  return {
    spec: {
      securityContext: WITHOUT_RIGHTS,
      terminationGracePeriodSeconds: 1,
      initContainers: [{ name: 'delay', ...IMAGE_OF_DELAY, command: DELAY }],
      containers: [{ name: container, ...IMAGE_OF_DELAY, command }],
    },
  };
}

function manifestOf(each: Case, namespace: string) {
  const { what, resource, field, spec, roles, startOrder, mode } = each;
  const specs = Object.entries(roles).map(
    ([role, replicas]) => [role, { replicas, restartPolicy: 'Never', template: template(each) }] as const,
  );
  return {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name: what, namespace, ...(mode && { annotations: { [ANNOTATIONS.serviceMode]: mode } }) },
    spec: {
      ...spec,
      runPolicy: { cleanPodPolicy: 'None', ...(startOrder && { startOrder }) },
      [field]: Object.fromEntries(specs),
    },
  };
}

interface Started {
  readonly role: string;
  readonly pod: string;
  readonly madeAt: string;
  readonly startedAt: string;
}

/** The start of each pod's program; waits until all have started. */
async function starts(fixture: TrainingFixture, { what, container, roles }: Case): Promise<Started[]> {
  const { namespace, client } = fixture;
  const wanted = Object.values(roles).reduce((sum, replicas) => sum + replicas, 0);
  let pods: Pod[] = [];
  return eventually(
    async () => {
      pods = (await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${what}` })).items;
      const started = pods.flatMap(({ metadata, status }) => {
        const own = status?.containerStatuses?.find(({ name }) => name === container);
        const startedAt = own?.state?.running?.startedAt;
        const role = metadata?.labels?.[LABELS.replicaType] ?? metadata?.labels?.[LABELS.jobRole] ?? '';
        return startedAt === undefined
          ? []
          : [{ role, pod: metadata?.name ?? '', madeAt: metadata?.creationTimestamp ?? '', startedAt }];
      });
      return started.length === wanted && started;
    },
    {
      withinMs: 300_000,
      describe: () => ({
        wanted,
        pods: pods.map(({ metadata, status }) => [metadata?.name, status]),
        operator: fixture.operatorLog,
      }),
    },
  );
}

function ofRole(started: readonly Started[], role: string): Started[] {
  return started.filter((one) => one.role.toLowerCase() === role.toLowerCase());
}

/** When the pod's program started to listen, in whole seconds, as in container statuses. */
async function listenedAt(fixture: TrainingFixture, { pod }: Started): Promise<string> {
  const output = /^listens ([\d.]+)$/m;
  await fixture.logged(pod, output);
  const [, seconds] = output.exec(await fixture.logOf(pod)) ?? [];
  return new Date(Math.floor(Number(seconds)) * 1000).toISOString().replace('.000Z', 'Z');
}

function saysThatARoleWaits({ status }: Job): boolean {
  const waiting = status?.conditions?.find(({ type }) => type === 'Waiting');
  return waiting?.reason === 'StartOrder' && /^No pods of \w+ are created before /.test(waiting.message ?? '');
}

/** The termination message of the pod's init container that waits for the role. */
function lastOutput({ status }: Pod, role: string): string | undefined {
  return status?.initContainerStatuses?.find(({ name }) => name === `wait-for-${role}`)?.state?.terminated?.message;
}

describe('programs start in the order of their roles', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it.each(CASES)('$what', async (each) => {
    const { framework, resource, what, order } = each;
    const fixture = stages[framework]!;
    const { namespace, client } = fixture;
    await client.create<KubeObject>(resource, manifestOf(each, namespace));
    if (each.startOrder !== undefined) await fixture.jobToBe(resource, what, saysThatARoleWaits);
    const started = await starts(fixture, each);
    const startTimes = started.map(({ pod, startedAt }) => `${pod} ${startedAt}`);
    process.stdout.write(`${what}: ${startTimes.sort().join(', ')}\n`);
    // Container statuses have whole seconds in a sortable form.
    const times = order.map((roles) =>
      [roles]
        .flat()
        .flatMap((role) => ofRole(started, role))
        .map(({ startedAt }) => startedAt)
        .sort(),
    );
    for (const [at, waiting] of times.entries()) {
      const last = times[at - 1]?.at(-1) ?? '';
      const [first = ''] = waiting;
      expect(first >= last && first !== '', `place ${at} of ${JSON.stringify(order)}: ${startTimes.join(', ')}`).toBe(
        true,
      );
    }
    await client.delete(resource, { namespace, name: what }, { propagationPolicy: 'Background' });
  });

  it("starts PyTorch's workers when their master's name resolves, however late that is", async () => {
    const what = 'torch-own-order';
    const fixture = stages['pytorch-elastic']!;
    const { namespace, client } = fixture;
    const each: Case = { ...PYTORCH, what, roles: { Master: 1, Worker: 2 }, order: [] };
    const manifest = manifestOf(each, namespace);
    const { Master, Worker } = manifest.spec['pytorchReplicaSpecs'] as Record<string, { template: PodTemplateSpec }>;
    // No node is looked for as long as the gate is there.
    const gated = { ...Master!.template.spec!, schedulingGates: [{ name: 'test.muster.dev/late' }] };
    const roles = { Master: { ...Master, template: { spec: gated } }, Worker };
    const late = { ...manifest, spec: { ...manifest.spec, pytorchReplicaSpecs: roles } };
    await client.create<KubeObject>(PYTORCH_JOBS, late);
    const labelSelector = `${LABELS.jobName}=${what},${LABELS.replicaType}=worker`;
    await eventually(
      async () => {
        const { items } = await client.list(PODS, { namespace, labelSelector });
        return items.length === 2 && items.every((pod) => isInInit(pod, 'init-pytorch'));
      },
      { withinMs: 300_000, describe: () => fixture.operatorLog },
    );
    const master = { namespace, name: `${what}-master-0` };
    const openedAt = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    await client.patch(PODS, master, { spec: { schedulingGates: null } });
    const started = await starts(fixture, each);
    const { status } = await client.get(PODS, master);
    const hasAddressAt = status?.conditions?.find(
      ({ type }) => type === 'PodReadyToStartContainers',
    )?.lastTransitionTime;
    for (const { pod, startedAt } of ofRole(started, 'Worker')) {
      process.stdout.write(`${what}: ${pod} begins at ${startedAt}, the master has an address at ${hasAddressAt}\n`);
      expect(startedAt >= openedAt && startedAt >= (hasAddressAt ?? '9'), pod).toBe(true);
    }
    await client.delete(PYTORCH_JOBS, { namespace, name: what }, { propagationPolicy: 'Background' });
  });

  it("starts Ray's workers when the head answers its health check", async () => {
    const fixture = stages.ray!;
    const { namespace, client } = fixture;
    const example = await fixture.example<RayCluster>('raycluster');
    const { name } = example.metadata;
    const { headGroupSpec } = example.spec;
    const { template: head } = headGroupSpec;
    const delay = { name: 'delay', ...IMAGE_OF_DELAY, command: DELAY };
    const delayed = { ...head, spec: { ...head.spec!, initContainers: [delay] } };
    const spec = { ...example.spec, headGroupSpec: { ...headGroupSpec, template: delayed } };
    await client.create<RayCluster>(RAY_CLUSTERS, { ...example, spec });
    const labelSelector = `ray.io/cluster=${name}`;
    let pods: readonly Pod[] = [];
    await eventually(
      async () => {
        pods = (await client.list(PODS, { namespace, labelSelector })).items;
        return pods.length === 3 && pods.every(({ status }) => mainOf(status)?.state?.running !== undefined);
      },
      {
        withinMs: 400_000,
        describe: () => ({ pods: pods.map(({ status }) => status), operator: fixture.operatorLog }),
      },
    );
    const isHead = ({ metadata }: Pod) => metadata?.labels?.['ray.io/node-type'] === 'head';
    const headAt = mainOf(pods.find(isHead)?.status)?.state?.running?.startedAt ?? '9';
    for (const { metadata, status } of pods.filter((pod) => !isHead(pod))) {
      const waited = status?.initContainerStatuses?.find((each) => each.name === 'wait-gcs-ready')?.state?.terminated;
      const startedAt = mainOf(status)?.state?.running?.startedAt ?? '';
      process.stdout.write(
        `${metadata?.name}: head begins at ${headAt}, answers by ${waited?.finishedAt}, worker begins at ${startedAt}\n`,
      );
      expect(waited).toMatchObject({ exitCode: 0 });
      expect((waited?.finishedAt ?? '') >= headAt && startedAt >= (waited?.finishedAt ?? '9')).toBe(true);
    }
    await client.delete(RAY_CLUSTERS, { namespace, name }, { propagationPolicy: 'Background' });
  });
});

function mainOf(status: Pod['status']) {
  return status?.containerStatuses?.find(({ name }) => name === 'ray-head' || name === 'ray-worker');
}

function isInInit({ status }: Pod, name: string): boolean {
  return status?.initContainerStatuses?.find((each) => each.name === name)?.state?.running !== undefined;
}

describe('programs start when those listen that they wait for', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it.each(AT_ONCE)('$what', async (each) => {
    const { framework, resource, what, startOrder = [] } = each;
    const fixture = stages[framework]!;
    const { namespace, client } = fixture;
    await client.create<KubeObject>(resource, manifestOf(each, namespace));
    const started = await starts(fixture, each);
    const firstStart = started.map(({ startedAt }) => startedAt).sort()[0] ?? '';
    for (const { pod, madeAt } of started) expect(madeAt <= firstStart, `${pod} is made at once`).toBe(true);
    for (const { role, dependsOn } of startOrder) {
      const awaited = dependsOn.flatMap((name) => ofRole(started, name));
      const listened = await Promise.all(awaited.map((one) => listenedAt(fixture, one)));
      const last = listened.sort().at(-1) ?? '';
      process.stdout.write(`${what}: ${dependsOn.join(' and ')} listen at ${listened.join(', ')}\n`);
      for (const { pod, startedAt } of ofRole(started, role)) {
        process.stdout.write(`${what}: ${pod} begins at ${startedAt}\n`);
        expect(startedAt >= last && last !== '', `${pod} begins at ${startedAt}, and the last listens at ${last}`).toBe(
          true,
        );
      }
    }
    await client.delete(resource, { namespace, name: what }, { propagationPolicy: 'Background' });
  });

  it('or fail after a limit, and name the pod that does not listen', async () => {
    const what = 'tf-too-late';
    const fixture = stages.tensorflow!;
    const { namespace, client } = fixture;
    const late: Case = {
      ...TF,
      what,
      roles: { PS: 2, Worker: 1 },
      startOrder: [{ role: 'Worker', dependsOn: ['PS'], initContainer: { timeoutSeconds: 20 } }],
      order: [],
      command: listening(2222, '-ps-1'),
    };
    await client.create<KubeObject>(TF_JOBS, manifestOf(late, namespace));
    const { status } = await fixture.toEnd(TF_JOBS, what, 'Failed');
    const output = `${what}-ps-1.${what}.${namespace}.svc does not listen on port 2222 after 20 seconds`;
    expect(status?.firstFailure).toMatchObject({ pod: `${what}-worker-0`, container: 'wait-for-ps' });
    expect(status?.firstFailure?.message).toContain(output);
    const worker = await fixture.podOf(what, { [LABELS.replicaType]: 'worker' });
    expect(lastOutput(worker, 'ps'), 'as kubectl describe shows it').toContain(output);
    await client.delete(TF_JOBS, { namespace, name: what }, { propagationPolicy: 'Background' });
  });
});
