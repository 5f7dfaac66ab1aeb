/** Manifests that admission refuses or accepts for every kind of job. */
import type { RunPolicy } from '../src/run-policy.ts';
import type { AcceptedManifest, RefusedManifest } from './admission-table.ts';
import type { KindManifests } from './kind-manifests.ts';
import { refusedShapes } from './wrong-shapes.ts';

/** The longest name whose worker with a one-digit index fits into 63 characters. */
export const LONGEST_NAME = 'n'.repeat(63 - '-worker-0'.length);

/** Refused for every kind. */
export function refusedOfEveryKind(manifests: KindManifests): RefusedManifest[] {
  return [
    ...refusedRoles(manifests),
    ...refusedTemplates(manifests),
    ...refusedContainers(manifests),
    ...refusedShapes(manifests),
    ...refusedRunPolicies(manifests),
    ...refusedNames(manifests),
  ];
}

function refusedRoles({ kind, field, apiVersion, job, role, workers }: KindManifests): RefusedManifest[] {
  return [
    {
      what: 'a job without spec',
      manifest: { apiVersion, kind, metadata: { name: 'mnist' } },
      path: 'spec',
      message: 'Required value',
    },
    { what: 'a job without the map of roles', manifest: job({}), path: `spec.${field}`, message: 'Required value' },
    {
      what: 'a negative number of workers',
      manifest: workers(role({ replicas: -1 })),
      path: `spec.${field}[Worker].replicas`,
      message: 'Forbidden: must be at least ',
    },
    {
      what: 'more workers than the limit',
      manifest: workers(role({ replicas: 100_001 })),
      path: `spec.${field}[Worker].replicas`,
      message: 'Invalid value: 100001: ',
    },
    {
      what: 'a number of workers in quotes',
      manifest: workers(role({ replicas: '2' })),
      path: `spec.${field}[Worker].replicas`,
      message: 'must be of type integer',
    },
    {
      what: 'an unknown restart policy',
      manifest: workers(role({ restartPolicy: 'onfailure' })),
      path: `spec.${field}[Worker].restartPolicy`,
      message: 'Unsupported value: "onfailure": supported values: "Always", "OnFailure", "Never", "ExitCode"',
    },
  ];
}

function refusedTemplates({ field, container, trainer, template, workers }: KindManifests): RefusedManifest[] {
  const worker = `spec.${field}[Worker]`;
  const containers = `${worker}.template.spec.containers`;
  const needed = `Required value: ${container === undefined ? 'a container' : `a container named ${container}`} is needed`;
  const namedOtherwise: RefusedManifest = {
    what: `a pod with no container named ${container}`,
    manifest: workers({ template: template(trainer({ name: 'main' })) }),
    path: containers,
    message: needed,
  };
  return [
    {
      what: 'a role without template',
      manifest: workers({ replicas: 1 }),
      path: `${worker}.template`,
      message: 'Required value',
    },
    {
      what: 'a template without spec',
      manifest: workers({ template: {} }),
      path: `${worker}.template.spec`,
      message: 'Required value',
    },
    {
      what: 'a pod without containers',
      manifest: workers({ template: { spec: {} } }),
      path: containers,
      message: 'Required value',
    },
    {
      what: 'an empty list of containers',
      manifest: workers({ template: { spec: { containers: [] } } }),
      path: containers,
      message: needed,
    },
    ...(container === undefined ? [] : [namedOtherwise]),
  ];
}

function refusedContainers({ field, trainer, template, workers }: KindManifests): RefusedManifest[] {
  const containers = `spec.${field}[Worker].template.spec.containers`;
  return [
    {
      what: 'a container without name',
      manifest: workers({ template: template(trainer(), { image: 'example.com/log:1' }) }),
      path: `${containers}[1].name`,
      message: 'Required value',
    },
    {
      what: 'a container without image',
      manifest: workers({ template: template({ name: trainer().name }) }),
      path: `${containers}[0].image`,
      message: 'Required value: name the image that this container runs',
    },
    {
      what: 'an empty image in a second container',
      manifest: workers({ template: template(trainer(), { name: 'log', image: '' }) }),
      path: `${containers}[1].image`,
      message: 'Required value: name the image that this container runs',
    },
    {
      what: 'an init container without image',
      manifest: workers({ template: { spec: { containers: [trainer()], initContainers: [{ name: 'fetch' }] } } }),
      path: `spec.${field}[Worker].template.spec.initContainers[0].image`,
      message: 'Required value: name the image that this container runs',
    },
    {
      what: 'a port above 65535',
      manifest: workers({ template: template(trainer({ ports: [{ containerPort: 65_536 }] })) }),
      path: `${containers}[0].ports[0].containerPort`,
      message: 'Invalid value: 65536',
    },
    {
      what: 'port 0',
      manifest: workers({ template: template(trainer({ ports: [{ containerPort: 0 }] })) }),
      path: `${containers}[0].ports[0].containerPort`,
      message: 'Invalid value: 0',
    },
    {
      what: 'an environment variable whose value is a number',
      manifest: workers({ template: template(trainer({ env: [{ name: 'LR', value: 1 }] })) }),
      path: `${containers}[0].env[0].value`,
      message: 'must be of type string',
    },
    {
      what: 'more containers than the limit',
      manifest: workers({
        template: template(trainer(), ...Array.from({ length: 64 }, (_, i) => trainer({ name: `c${i}` }))),
      }),
      path: containers,
      message: 'must have at most 64 items',
    },
  ];
}

function refusedRunPolicies(kind: KindManifests): RefusedManifest[] {
  const { runPolicy } = kind;
  return [
    ...['backoffLimit', 'ttlSecondsAfterFinished', 'startDeadlineSeconds'].map((limit) => ({
      what: `a ${limit} that 32 bits cannot hold`,
      manifest: runPolicy({ [limit]: 2 ** 31 }),
      path: `spec.runPolicy.${limit}`,
      message: 'Invalid value: ',
    })),
    {
      what: 'a deadline beyond the integers that JSON represents exactly',
      manifest: runPolicy({ activeDeadlineSeconds: 2 ** 53 }),
      path: 'spec.runPolicy.activeDeadlineSeconds',
      message: `must be at most ${2 ** 53 - 1}`,
    },
    {
      what: 'an unknown cleanPodPolicy',
      manifest: runPolicy({ cleanPodPolicy: 'Always' }),
      path: 'spec.runPolicy.cleanPodPolicy',
      message: 'Unsupported value: "Always": supported values: "All", "Running", "None"',
    },
    ...[
      'ttlSecondsAfterFinished',
      'activeDeadlineSeconds',
      'startDeadlineSeconds',
      'backoffLimit',
      'lostNodeTimeoutSeconds',
    ].map((limit) => ({
      what: `a negative ${limit}`,
      manifest: runPolicy({ [limit]: -1 }),
      path: `spec.runPolicy.${limit}`,
      message: 'Invalid value: -1',
    })),
    {
      what: 'a managedBy that is not domain-qualified',
      manifest: runPolicy({ managedBy: 'kueue' }),
      path: 'spec.runPolicy.managedBy',
      message: 'Invalid value: "kueue": must be a domain-qualified name',
    },
    {
      what: 'an empty managedBy',
      manifest: runPolicy({ managedBy: '' }),
      path: 'spec.runPolicy.managedBy',
      message: 'Invalid value: "": must be a domain-qualified name',
    },
    ...refusedFailurePolicies(runPolicy),
    ...refusedRulesOfHangs(runPolicy),
    ...refusedStartOrders(kind),
    ...refusedSchedulingPolicies(runPolicy),
  ];
}

function refusedSchedulingPolicies(runPolicy: KindManifests['runPolicy']): RefusedManifest[] {
  return [
    ...[true, 'many', '1 Gi'].map((quantity) => ({
      what: `the quantity ${JSON.stringify(quantity)}`,
      manifest: runPolicy({ schedulingPolicy: { minResources: { cpu: quantity } } }),
      path: 'spec.runPolicy.schedulingPolicy.minResources[cpu]',
      message: 'Invalid value: ',
    })),
    ...['High', 'high_priority', '.high'].map((priorityClass) => ({
      what: `the priority class ${priorityClass}`,
      manifest: runPolicy({ schedulingPolicy: { priorityClass } }),
      path: 'spec.runPolicy.schedulingPolicy.priorityClass',
      message: `Invalid value: "${priorityClass}": `,
    })),
    ...['root/team', 'team a', 'root.', '日本語'].map((queue) => ({
      what: `the queue ${queue}`,
      manifest: runPolicy({ schedulingPolicy: { queue } }),
      path: 'spec.runPolicy.schedulingPolicy.queue',
      message: `Invalid value: "${queue}": `,
    })),
  ];
}

function refusedFailurePolicies(runPolicy: KindManifests['runPolicy']): RefusedManifest[] {
  const rules = 'spec.runPolicy.failurePolicy.rules';
  const row = (what: string, rule: object, field: string, message: string): RefusedManifest => ({
    what: `a failure policy with ${what}`,
    manifest: runPolicy({ failurePolicy: { rules: [{ action: 'RestartJob', ...rule }] } }),
    path: `${rules}[0]${field}`,
    message,
  });
  return [
    row('an unknown action', { action: 'Retry' }, '.action', 'Unsupported value: "Retry"'),
    row('an unknown role', { roles: ['Coach'] }, '.roles[0]', 'Unsupported value: "Coach"'),
    row('an empty list of roles', { roles: [] }, '.roles', 'Invalid value: '),
    row('an unknown reason', { onReasons: ['Cascade'] }, '.onReasons[0]', 'Unsupported value: "Cascade"'),
    row('exit codes above 255', codes('In', [256]), '.onExitCodes.values[0]', 'Invalid value: 256'),
    row('exit code 0 as a failure', codes('In', [1, 0]), '.onExitCodes.values', '0 is not a failure: remove it'),
    row('an empty list of exit codes', codes('NotIn', []), '.onExitCodes.values', 'Invalid value: '),
    row('an unknown operator', codes('Is', [1]), '.onExitCodes.operator', 'Unsupported value: "Is"'),
    row('an empty text', { onMessage: [''] }, '.onMessage[0]', 'Invalid value: ""'),
    row('too long a text', { onMessage: ['x'.repeat(201)] }, '.onMessage[0]', ''),
    row('a delay of more than a day', { delaySeconds: 86_401 }, '.delaySeconds', 'Invalid value: 86401'),
    row(
      'a delay of FailJob',
      { action: 'FailJob', delaySeconds: 1 },
      '.delaySeconds',
      'Forbidden: remove it: FailJob ends the job at once',
    ),
    row(
      'RestartReplica in place',
      { action: 'RestartReplica', inPlace: true },
      '.inPlace',
      'Forbidden: remove it, or use action RestartJob: other actions do not restart in place',
    ),
    row(
      'an ignored failure that counts towards backoffLimit',
      { action: 'Ignore', countsTowardsBackoffLimit: true },
      '.countsTowardsBackoffLimit',
      'Forbidden: remove it: FailJob and Ignore do not count towards backoffLimit',
    ),
    {
      what: 'a failure policy without rules',
      manifest: runPolicy({ failurePolicy: { rules: [] } }),
      path: rules,
      message: 'Invalid value: ',
    },
    {
      what: 'a failure policy with more rules than the limit',
      manifest: runPolicy({ failurePolicy: { rules: Array.from({ length: 21 }, () => ({ action: 'Ignore' })) } }),
      path: rules,
      message: 'must have at most 20 items',
    },
    {
      what: 'a failure policy with two rules of the same name',
      manifest: runPolicy({
        failurePolicy: { rules: ['oom', 'oom'].map((name) => ({ name, action: 'RestartJob' })) },
      }),
      path: rules,
      message: 'two rules have the same name: rename one',
    },
  ];
}

type StartOrderRow = (what: string, startOrder: object[], at: string, message: string) => RefusedManifest;

function refusedInitContainers(row: StartOrderRow, other: string): RefusedManifest[] {
  const by = (initContainer: object, status?: string) => [
    { role: 'Worker', dependsOn: [other], initContainer, ...(status && { status }) },
  ];
  return [
    row(
      'by an init container and by a status',
      by({}, 'Ready'),
      '[0].status',
      'Forbidden: remove it: an init container waits until the port answers',
    ),
    row('by an init container with timeout 0', by({ timeoutSeconds: 0 }), '[0].initContainer.timeoutSeconds', ''),
    row('by an init container on port 0', by({ port: 0 }), '[0].initContainer.port', 'Invalid value: '),
    row('by an init container on a port above 65535', by({ port: 65_536 }), '[0].initContainer.port', ''),
  ];
}

function acceptedInitContainers({ otherRole, runPolicy }: KindManifests) {
  if (otherRole === undefined) return [];
  return [{}, { timeoutSeconds: 1 }, { timeoutSeconds: 2 ** 31 - 1, port: 65_535 }].map((initContainer) => ({
    what: `a start order by an init container of ${JSON.stringify(initContainer)}`,
    manifest: runPolicy({ startOrder: [{ role: 'Worker', dependsOn: [otherRole], initContainer }] }),
  }));
}

function refusedStartOrders({ kind, otherRole: other, runPolicy }: KindManifests): RefusedManifest[] {
  if (other === undefined) return [];
  const row: StartOrderRow = (what, startOrder, at, message) => ({
    what: `a start order ${what}`,
    manifest: runPolicy({ startOrder }),
    path: `spec.runPolicy.startOrder${at}`,
    message,
  });
  const circle = 'a role depends on itself or on one listed later: list each after those that it depends on';
  return [
    row('without entries', [], '', 'Invalid value: '),
    row('of an unknown role', [{ role: 'Coach', dependsOn: [other] }], '[0].role', 'Unsupported value'),
    row('after an unknown role', [{ role: 'Worker', dependsOn: ['Coach'] }], '[0].dependsOn[0]', 'Unsupported'),
    row('after no role', [{ role: 'Worker', dependsOn: [] }], '[0].dependsOn', 'Invalid value: '),
    row(
      'by an unknown status',
      [{ role: 'Worker', dependsOn: [other], status: 'Complete' }],
      '[0].status',
      'Unsupported value: "Complete"',
    ),
    ...(kind === 'MPIJob' ? [] : refusedInitContainers(row, other)),
    row('of a role after itself', [{ role: 'Worker', dependsOn: ['Worker'] }], '', circle),
    row(
      'with a cycle',
      [
        { role: 'Worker', dependsOn: [other] },
        { role: other, dependsOn: ['Worker'] },
      ],
      '',
      circle,
    ),
    row(
      'that names a role twice',
      [
        { role: 'Worker', dependsOn: [other] },
        { role: 'Worker', dependsOn: [other], status: 'Ready' },
      ],
      '',
      'a role is named twice: keep one entry',
    ),
  ];
}

function refusedRulesOfHangs(runPolicy: KindManifests['runPolicy']): RefusedManifest[] {
  return [
    {
      what: 'a rule with onNoProgress without progressDeadlineSeconds',
      manifest: runPolicy({
        failurePolicy: { rules: [{ action: 'Ignore' }, { action: 'RestartJob', onNoProgress: true }] },
      }),
      path: 'spec.runPolicy.progressDeadlineSeconds',
      message: 'Required value: a rule of failurePolicy has onNoProgress, which needs this deadline',
    },
    {
      what: 'a rule with onNoProgress and a condition on failed pods',
      manifest: runPolicy({
        progressDeadlineSeconds: 10,
        failurePolicy: { rules: [{ action: 'RestartJob', onNoProgress: true, onReasons: ['Program'] }] },
      }),
      path: 'spec.runPolicy.failurePolicy.rules[0].onNoProgress',
      message: 'Forbidden: a job without progress has no failed pod: move the other conditions to a separate rule',
    },
  ];
}

function codes(operator: string, values: readonly number[]) {
  return { onExitCodes: { operator, values } };
}

function refusedNames({ role, workers }: KindManifests): RefusedManifest[] {
  return [
    {
      what: 'a name that starts with a digit',
      manifest: workers(role(), {}, '1st'),
      path: 'metadata.name',
      message: 'metadata.name must be a DNS label',
    },
    {
      what: 'a name with a dot',
      manifest: workers(role(), {}, 'mnist.v2'),
      path: 'metadata.name',
      message: 'metadata.name must be a DNS label',
    },
    {
      what: "a name one character too long for a worker's pod",
      manifest: workers(role(), {}, `${LONGEST_NAME}n`),
      path: 'metadata.name',
      message:
        'metadata.name is too long: pod names (<job>-<role>-<index>) of the job would have more than 63 characters',
    },
  ];
}

const WHOLE_FAILURE_POLICY = {
  rules: [
    {
      name: 'bad-input',
      action: 'FailJob',
      roles: ['Worker'],
      onExitCodes: { operator: 'In', values: [2, 255], containerName: 'main' },
      onPodConditions: [{ type: 'DisruptionTarget' }, { type: 'Ready', status: 'False' }],
      onReasons: ['Program', 'OutOfMemory', 'Evicted', 'Preempted', 'NodeLost', 'Image', 'Refused'],
      onMessage: ['CUDA*memory'],
    },
    { action: 'Ignore', onExitCodes: { operator: 'NotIn', values: [0, 1] }, delaySeconds: 86_400 },
    { action: 'RestartReplica', countsTowardsBackoffLimit: true },
    { action: 'RestartRole' },
    { action: 'RestartJob', onNoProgress: true, inPlace: true },
    { action: 'RestartRole', inPlace: false },
    { action: 'RestartJob', countsTowardsBackoffLimit: false, delaySeconds: 0 },
  ],
};

const EMPTY_STRINGS = { cleanPodPolicy: '', schedulingPolicy: { queue: '', priorityClass: '' } };

/** Accepted for every kind. */
export function acceptedOfEveryKind(manifests: KindManifests): AcceptedManifest[] {
  const { otherRole, role, template, trainer, workers, runPolicy } = manifests;
  return [
    { what: 'the smallest valid spec', manifest: workers(role()) },
    {
      what: 'empty strings, which Kubeflow reads as unset',
      manifest: workers(role({ restartPolicy: '' }), { runPolicy: EMPTY_STRINGS }),
    },
    {
      what: 'fields without a value',
      manifest: workers(
        {
          replicas: null,
          restartPolicy: null,
          template: template(trainer({ resources: null, env: null, command: null, volumeMounts: null })),
        },
        { runPolicy: null },
      ),
    },
    {
      what: 'a fractional quantity',
      manifest: workers(role({ template: template(trainer({ resources: { limits: { cpu: 0.5 } } })) })),
    },
    {
      what: 'every field of the run policy',
      // Does not compile if a field is missing.
      manifest: runPolicy({
        cleanPodPolicy: 'Running',
        ttlSecondsAfterFinished: 0,
        activeDeadlineSeconds: 5_000_000_000,
        startDeadlineSeconds: 0,
        backoffLimit: 0,
        lostNodeTimeoutSeconds: 0,
        suspend: true,
        managedBy: 'kubeflow.org/training-operator',
        failurePolicy: WHOLE_FAILURE_POLICY,
        progressDeadlineSeconds: 10,
        startOrder: otherRole === undefined ? null : [{ role: 'Worker', dependsOn: [otherRole], status: 'Ready' }],
        schedulingPolicy: {
          minAvailable: 2,
          queue: 'root.Team_a.sandbox',
          minResources: { cpu: 4, memory: '1.5Gi', 'nvidia.com/gpu': '2' },
          priorityClass: 'high',
          scheduleTimeoutSeconds: 60,
        },
      } satisfies Record<keyof RunPolicy, unknown>),
    },
    {
      what: 'the longest limits',
      manifest: runPolicy({
        activeDeadlineSeconds: 2 ** 53 - 1,
        ttlSecondsAfterFinished: 2 ** 31 - 1,
        startDeadlineSeconds: 2 ** 31 - 1,
        backoffLimit: 2 ** 31 - 1,
      }),
    },
    ...(manifests.kind === 'MPIJob' ? [] : acceptedInitContainers(manifests)),
    { what: 'the longest name', manifest: workers(role(), {}, LONGEST_NAME) },
    { what: "another controller's job", manifest: runPolicy({ managedBy: 'kueue.x-k8s.io/multikueue' }) },
  ];
}
