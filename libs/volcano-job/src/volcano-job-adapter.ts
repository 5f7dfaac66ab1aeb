/** Reconciles Volcano Jobs that name the framework's plugin, and ignores all others. */
import {
  byOperatorName,
  type DesiredResource,
  type EnsuredObject,
  type FrameworkAdapter,
  type OwnedKind,
  type Permission,
  type ReplicaPod,
  type ReplicaRole,
  type RestartScope,
  type OtherController,
  type StateAges,
} from '@muster/common-job-controller';
import {
  NETWORK_POLICIES,
  problemsOf,
  SECRETS,
  SERVICES,
  VOLCANO_JOBS,
  volcanoJobDefinition,
  type KubeObject,
  type Pod,
  type Resource,
  type Secret,
  type VolcanoAction,
  type VolcanoJob,
} from '@muster/job-api';
import { VOLCANO_JOB_COMMANDS } from './commands.ts';
import { nameProblems } from './model/name-problems.ts';
import {
  leastOf,
  readVolcanoJob,
  volcanoRunPolicy,
  type VolcanoOptions,
  type VolcanoTrainingJob,
} from './model/read-volcano-job.ts';
import { CLAIM_PERMISSION, jobClaims, volumeProblems } from './model/job-volumes.ts';
import { dependencyProblems, dependsOnOthers, mayStart, waitsFor } from './model/depends-on.ts';
import { partitionOf, partitionProblems } from './model/partitions.ts';
import { unsupportedFields } from './model/unsupported-fields.ts';
import { volcanoPodAnnotations, volcanoPodLabels, volcanoReplicaOf } from './model/volcano-labels.ts';
import { taskNamed, volcanoTasks } from './model/volcano-tasks.ts';
import { chosenPlugins, frameworkOf } from './plugins/chosen-plugins.ts';
import type { FrameworkPlugin } from './plugins/framework-plugin.ts';
import { CONFIG_MAPS, svcResources } from './plugins/svc.ts';
import { hasSshKeys, sshSecretData, sshSecretName } from './plugins/ssh.ts';
import { agingStates } from './policy-ages.ts';
import { volcanoStatus } from './status/volcano-status.ts';
import { actionOfPod, createdMsOf, endMsOf, retriesOf, volcanoOutcome } from './volcano-outcome.ts';
import { volcanoPod } from './volcano-pod.ts';

const PERMISSIONS: readonly Permission[] = [
  { group: '', resource: 'secrets', verbs: ['create', 'get', 'update'] },
  CLAIM_PERMISSION,
];

const SCOPES: Partial<Record<VolcanoAction, RestartScope>> = {
  RestartPod: 'Replica',
  RestartPartition: 'Replica',
  RestartTask: 'Role',
  RestartJob: 'Job',
};

/** Volcano's own controller: it runs every Job, and writes the status first. */
const VOLCANO_CONTROLLER: OtherController<VolcanoJob> = {
  name: "Volcano's job controller",
  switchOff: 'start vc-controller-manager without it (--feature-gates=VolcanoJobSupport=false)',
  hasBegun({ status }) {
    const { state, muster } = (status ?? {}) as {
      readonly state?: { readonly phase?: string };
      readonly muster?: object;
    };
    return Boolean(state?.phase) && muster === undefined;
  },
  headStartMs: 3000,
};

/** The adapters that `--volcano-jobs` adds to an operator. */
export function volcanoJobAdapters(
  { volcanoJobs }: { readonly volcanoJobs: boolean },
  plugin: FrameworkPlugin,
): FrameworkAdapter[] {
  return volcanoJobs ? [volcanoJobAdapter(plugin)] : [];
}

export function volcanoJobAdapter(plugin: FrameworkPlugin): FrameworkAdapter<VolcanoJob, VolcanoOptions> {
  return {
    resource: VOLCANO_JOBS,
    framework: plugin.framework ?? plugin.name,
    madeWith: { plugin: plugin.name },
    installHint: "kubectl apply -f with the CustomResourceDefinition of Volcano's Job",
    labels: {
      ...byOperatorName([`volcano-${plugin.name}`]),
      ofPod: (job, { role, index }) => ({
        ...byOperatorName([`volcano-${plugin.name}`]).ofJob(job.metadata.name),
        ...volcanoPodLabels(job, podOfTask(job, role, index)),
      }),
      replicaOf: ({ metadata }) => volcanoReplicaOf(metadata?.labels ?? {}),
    },
    lifecycle: {
      managers: [],
      hasBackoffLimit: false,
      isOurs: ({ spec }: Partial<Pick<VolcanoJob, 'spec'>>) => frameworkOf(spec ?? {}) === plugin.name,
      runPolicy: volcanoRunPolicy,
      otherController: VOLCANO_CONTROLLER,
    },
    status: { recordIn: 'muster', encode: volcanoStatus },
    problems: (manifest) => problemsWith(manifest, plugin),
    read: (manifest) => readVolcanoJob(manifest, plugin),
    pod: (job, { role, index }) => ({
      shape: volcanoPod(job, role.name, index),
      annotations: volcanoPodAnnotations(job, podOfTask(job, role, index), retriesOf(job)),
    }),
    outcome: volcanoOutcome,
    agingStates,
    scheduling: {
      mayStart,
      waitsFor,
      leastReplicas(job, { name, replicas }) {
        const task = taskNamed(job.options.tasks, name);
        if (task === undefined) return replicas;
        // Its pods are created later: a gang that counts them never starts.
        return dependsOnOthers(task) ? 0 : leastOf(task);
      },
    },
    failures: { scopeOf: restartScope, scopeOfOther: scopeWithPartition },
    commands: VOLCANO_JOB_COMMANDS,
    ownedResources: {
      kinds: OWNED_KINDS,
      desired: ownedResources,
      ensured: (job) => [...sshSecrets(job), ...claims(job)],
      permissions: PERMISSIONS,
    },
  };
}

function podOfTask({ options }: VolcanoTrainingJob, { name }: ReplicaRole, index: number) {
  const task = taskNamed(options.tasks, name);
  return { task: name, index, queue: options.queue, partition: task && partitionOf(task, index) };
}

function restartScope(job: VolcanoTrainingJob, { role, pod }: ReplicaPod, ages: StateAges): RestartScope | undefined {
  const due = pod && dueActionOf(job, role, pod, ages);
  return due && SCOPES[due];
}

/** A running pod is restarted with its partition unless it was created after the failure. */
function scopeWithPartition(
  job: VolcanoTrainingJob,
  replica: ReplicaPod,
  ages: StateAges,
  replicas: readonly ReplicaPod[],
): RestartScope | undefined {
  const own = restartScope(job, replica, ages);
  const task = taskNamed(job.options.tasks, replica.role.name);
  const partition = task && partitionOf(task, replica.index);
  if (own !== undefined || task === undefined || partition === undefined) return own;
  const isCause = ({ role, index, pod }: ReplicaPod) =>
    role === replica.role &&
    partitionOf(task, index) === partition &&
    pod !== undefined &&
    dueActionOf(job, role, pod, ages) === 'RestartPartition' &&
    createdMsOf(replica.pod ?? {}) <= endMsOf(pod);
  return replicas.some(isCause) ? SCOPES.RestartPartition : undefined;
}

function dueActionOf(job: VolcanoTrainingJob, { name }: ReplicaRole, pod: Pod, ages: StateAges) {
  const task = taskNamed(job.options.tasks, name);
  const due = task && actionOfPod(job, task, pod, ages);
  return due?.inMs === 0 ? due.action : undefined;
}

function problemsWith(manifest: VolcanoJob, plugin: FrameworkPlugin) {
  const problems = problemsOf(volcanoJobDefinition, manifest);
  if (problems.length > 0) return problems;
  const tasks = volcanoTasks(manifest);
  return [
    ...nameProblems(tasks),
    ...chosenPlugins(tasks, manifest.spec, plugin).problems,
    ...dependencyProblems(tasks),
    ...tasks.tasks.flatMap(partitionProblems),
    ...volumeProblems(manifest.spec.volumes ?? []),
    ...unsupportedFields(manifest.spec),
  ];
}

/** Kept until the Job is deleted: a restart of some pods finds the same network and keys. */
function kind<T extends KubeObject>(resource: Resource<T>): OwnedKind {
  return {
    resource,
    endsWithRun: false,
    trim: (object) => {
      const { annotations: _annotations, ...metadata } = object.metadata ?? {};
      return { ...object, metadata };
    },
  };
}

const OWNED_KINDS: readonly OwnedKind[] = [kind(CONFIG_MAPS), kind(SERVICES), kind(NETWORK_POLICIES)];

function ownedResources({ options: { tasks, plugins } }: VolcanoTrainingJob): readonly DesiredResource[] {
  return [
    ...(plugins.svc ? svcResources(tasks, plugins.svc, plugins.framework.openPorts) : []),
    ...(plugins.framework.ownedResources ?? []),
  ];
}

function claims({ metadata, options }: VolcanoTrainingJob): readonly EnsuredObject[] {
  return jobClaims(metadata.name, options.volumes);
}

function sshSecrets({ options: { tasks, plugins } }: VolcanoTrainingJob): readonly EnsuredObject[] {
  const { ssh } = plugins;
  if (ssh === undefined) return [];
  const object: Secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: sshSecretName(tasks) }, type: 'Opaque' };
  return [
    {
      resource: SECRETS,
      object,
      complete: (whole, existing?: Secret) => ({ ...whole, data: sshSecretData(tasks, ssh, existing?.data) }),
      serves: ({ data }: Secret) => hasSshKeys(tasks, ssh, data),
    },
  ];
}
