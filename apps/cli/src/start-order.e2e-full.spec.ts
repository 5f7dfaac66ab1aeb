/**
 * Roles that wait for others, on a real node: pods come up after delays that are drawn by lot, and no program of a role that waits
 * begins before all programs that it waits for have.
 */
import {
  LABELS,
  MPI_JOBS,
  MX_CONTAINER,
  MX_JOBS,
  PODS,
  PYTORCH_CONTAINER,
  PYTORCH_JOBS,
  TF_CONTAINER,
  TF_JOBS,
  type FrameworkName,
  type KubeObject,
  type Pod,
  type PodTemplateSpec,
  type Resource,
  type StartOrder,
} from '@muster/job-api';
import { eventually, trainingStage, TRAINING_TIMEOUT_MS, type TrainingStage } from '@muster/testing';
import { describe, expect, it } from 'vitest';

const IMAGE = 'muster.local/torch-examples:2.6';
const LONGEST_DELAY_SECONDS = 5;

const stages: Readonly<Partial<Record<FrameworkName, TrainingStage>>> = {
  tensorflow: await trainingStage('tensorflow', TF_CONTAINER),
  'pytorch-elastic': await trainingStage('pytorch-elastic', PYTORCH_CONTAINER, [
    '--pytorch-init-container-image',
    IMAGE,
  ]),
  mpi: await trainingStage('mpi', 'main'),
  mxnet: await trainingStage('mxnet', MX_CONTAINER),
};

interface Case {
  readonly what: string;
  readonly framework: FrameworkName;
  readonly resource: Resource;
  readonly field: string;
  readonly container: string;
  readonly spec?: object;
  /** Replicas by role. */
  readonly roles: Readonly<Record<string, number>>;
  /** Default: the framework's own. */
  readonly startOrder?: StartOrder;
  /** Roles in the order in which their programs begin. */
  readonly order: readonly string[];
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
    order: ['Scheduler', 'Worker'],
  },
];

const WITHOUT_RIGHTS = { runAsNonRoot: true, runAsUser: 65532, runAsGroup: 65532 };

/** Each pod draws its delay, so that replicas of one role differ as well. */
function template(container: string): PodTemplateSpec {
  const draw = `import random, time; time.sleep(random.uniform(0, ${LONGEST_DELAY_SECONDS}))`;
  const image = { image: IMAGE, imagePullPolicy: 'IfNotPresent' as const };
  return {
    spec: {
      securityContext: WITHOUT_RIGHTS,
      terminationGracePeriodSeconds: 1,
      initContainers: [{ name: 'delay', ...image, command: ['python3', '-c', draw] }],
      containers: [{ name: container, ...image, command: ['sleep', '3600'] }],
    },
  };
}

function manifestOf({ what, resource, field, container, spec, roles, startOrder }: Case, namespace: string) {
  const specs = Object.entries(roles).map(
    ([role, replicas]) => [role, { replicas, restartPolicy: 'Never', template: template(container) }] as const,
  );
  return {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: resource.kind,
    metadata: { name: what, namespace },
    spec: {
      ...spec,
      runPolicy: { cleanPodPolicy: 'All', ...(startOrder && { startOrder }) },
      [field]: Object.fromEntries(specs),
    },
  };
}

interface Started {
  readonly role: string;
  readonly pod: string;
  readonly startedAt: string;
}

/** When the program of each pod began; waits until all have. */
async function starts(stage: TrainingStage, { what, container, roles }: Case): Promise<Started[]> {
  const { namespace, client } = stage;
  const wanted = Object.values(roles).reduce((sum, replicas) => sum + replicas, 0);
  let pods: Pod[] = [];
  return eventually(
    async () => {
      pods = (await client.list(PODS, { namespace, labelSelector: `${LABELS.jobName}=${what}` })).items;
      const started = pods.flatMap(({ metadata, status }) => {
        const own = status?.containerStatuses?.find(({ name }) => name === container);
        const startedAt = own?.state?.running?.startedAt;
        const role = metadata?.labels?.[LABELS.replicaType] ?? metadata?.labels?.[LABELS.jobRole] ?? '';
        return startedAt === undefined ? [] : [{ role, pod: metadata?.name ?? '', startedAt }];
      });
      return started.length === wanted && started;
    },
    {
      withinMs: 300_000,
      describe: () => ({
        wanted,
        pods: pods.map(({ metadata, status }) => [metadata?.name, status]),
        operator: stage.operatorLog,
      }),
    },
  );
}

describe('programs begin in the order of their roles', { timeout: TRAINING_TIMEOUT_MS }, () => {
  it.each(CASES)('$what', async (each) => {
    const { framework, resource, what, order } = each;
    const stage = stages[framework]!;
    const { namespace, client } = stage;
    await client.create<KubeObject>(resource, manifestOf(each, namespace));
    const started = await starts(stage, each);
    const told = started.map(({ pod, startedAt }) => `${pod} ${startedAt}`);
    process.stdout.write(`${what}: ${told.sort().join(', ')}\n`);
    // Kubelets say it in whole seconds, in a form that sorts.
    const times = order.map((role) =>
      started
        .filter((one) => one.role.toLowerCase() === role.toLowerCase())
        .map(({ startedAt }) => startedAt)
        .sort(),
    );
    for (const [at, waiting] of times.entries()) {
      const last = times[at - 1]?.at(-1) ?? '';
      const [first = ''] = waiting;
      expect(first >= last && first !== '', `${order[at]} after ${order[at - 1]}: ${told.join(', ')}`).toBe(true);
    }
    await client.delete(resource, { namespace, name: what }, { propagationPolicy: 'Background' });
  });
});
