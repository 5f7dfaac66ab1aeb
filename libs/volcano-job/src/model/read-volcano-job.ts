/** Reads a Volcano Job as roles and options. Each task is a role of the same name. */
import type { ReplicaRole, TrainingJob } from '@muster/common-job-controller';
import { commandOf, isAborted } from '../commands.ts';
import type { JobStatus, PodSpec, PodTemplateSpec, RestartPolicy, RunPolicy, VolcanoJob } from '@muster/job-api';
import { chosenPlugins, type ChosenPlugins } from '../plugins/chosen-plugins.ts';
import type { FrameworkPlugin } from '../plugins/framework-plugin.ts';
import { withJobVolumes } from './job-volumes.ts';
import { leastByPartitions } from './partitions.ts';
import type { Policies } from './policies.ts';
import { volcanoTasks, type VolcanoTask, type VolcanoTasks } from './volcano-tasks.ts';

export interface VolcanoOptions {
  readonly tasks: VolcanoTasks;
  readonly plugins: ChosenPlugins;
  readonly policies: Policies;
  readonly queue: string;
  readonly volumes: NonNullable<VolcanoJob['spec']['volumes']>;
  readonly minAvailable: number;
  readonly minSuccess: number | undefined;
  /** The number of restarts that fails the Job. */
  readonly maxRetry: number;
}

export type VolcanoTrainingJob = TrainingJob<VolcanoOptions>;

const DEFAULT_MAX_RETRY = 3;

export function readVolcanoJob(
  manifest: VolcanoJob,
  plugin: FrameworkPlugin,
): Pick<VolcanoTrainingJob, 'roles' | 'options'> {
  const { spec } = manifest;
  const tasks = volcanoTasks(manifest);
  const plugins = chosenPlugins(tasks, spec, plugin);
  const { deciding } = plugins.framework;
  return {
    roles: tasks.tasks.map((task) => roleOf(task, manifest, deciding)),
    options: {
      tasks,
      plugins,
      policies: { ofJob: spec.policies ?? [], deciding },
      queue: spec.queue || 'default',
      volumes: spec.volumes ?? [],
      minAvailable: spec.minAvailable || sum(tasks.tasks.map(leastOf)),
      minSuccess: spec.minSuccess,
      maxRetry: spec.maxRetry || DEFAULT_MAX_RETRY,
    },
  };
}

export function leastOf({ replicas, spec }: Pick<VolcanoTask, 'replicas' | 'spec'>): number {
  return spec.minAvailable ?? leastByPartitions({ spec }) ?? replicas;
}

/** Called for unvalidated manifests as well. */
export function volcanoRunPolicy({ spec, status }: Partial<Pick<VolcanoJob, 'spec' | 'status'>>): Partial<RunPolicy> {
  const { minAvailable, queue, priorityClassName, ttlSecondsAfterFinished } = spec ?? {};
  const { muster } = (status ?? {}) as { readonly muster?: JobStatus };
  return {
    suspend: commandOf(muster) === 'AbortJob',
    // Ended pods keep their logs.
    cleanPodPolicy: 'Running',
    // An aborted Job can be resumed.
    ...(ttlSecondsAfterFinished !== undefined && !isAborted(muster) && { ttlSecondsAfterFinished }),
    schedulingPolicy: {
      ...(queue && { queue }),
      ...(minAvailable !== undefined && minAvailable > 0 && { minAvailable }),
      ...(priorityClassName !== undefined && { priorityClass: priorityClassName }),
    },
  };
}

function roleOf(task: VolcanoTask, manifest: VolcanoJob, deciding: string | undefined): ReplicaRole {
  const { name, replicas, template } = task;
  const own = template.spec?.restartPolicy as RestartPolicy | '' | undefined;
  // The deciding task is restarted until the other tasks run; it may succeed.
  const restartPolicy = own || (name === deciding ? 'OnFailure' : 'Always');
  return {
    name,
    replicas,
    restartPolicy,
    template: withDefaults(template, manifest),
    endsByItself: restartPolicy !== 'Always',
    containerName: template.spec?.containers[0]?.name ?? '',
  };
}

/** Left out of pods unless the operator works with Volcano's scheduler: no other scheduler would place them. */
const VOLCANO_SCHEDULER = 'volcano';

/** Fills in what the template leaves out from the Job. */
function withDefaults(template: PodTemplateSpec, { metadata, spec }: VolcanoJob): PodTemplateSpec {
  const { containers = [], ...pod }: Partial<PodSpec> = template.spec ?? {};
  const scheduler = spec.schedulerName === VOLCANO_SCHEDULER ? undefined : spec.schedulerName;
  const whole: PodSpec = {
    ...(scheduler && { schedulerName: scheduler }),
    ...(spec.priorityClassName && { priorityClassName: spec.priorityClassName }),
    // The node's own DNS does not resolve names of pods.
    ...(pod.hostNetwork === true && { dnsPolicy: 'ClusterFirstWithHostNet' }),
    ...pod,
    containers,
  };
  return { ...template, spec: withJobVolumes(metadata?.name ?? '', spec.volumes ?? [], whole) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
