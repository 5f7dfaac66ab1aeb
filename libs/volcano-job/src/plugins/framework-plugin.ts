/** Makes a Volcano Job one of a framework. The adapter implements it and shares code with the framework's own kind. */
import type { DesiredResource, Problem } from '@muster/common-job-controller';
import type { Flags, Values } from '../arguments/flags.ts';
import type { VolcanoTask, VolcanoTasks } from '../model/volcano-tasks.ts';
import type { PodChange } from '../pods/pod-change.ts';

export const BASIC_PLUGINS = ['svc', 'ssh', 'env'] as const;

export type BasicPlugin = (typeof BASIC_PLUGINS)[number];

export const FRAMEWORK_PLUGINS = ['tensorflow', 'pytorch', 'mpi', 'mxnet', 'ray'] as const;

export type FrameworkPluginName = (typeof FRAMEWORK_PLUGINS)[number];

export interface PluginInJob {
  /** Problems of the tasks. The other members are read only if there are none. */
  readonly problems: readonly Problem[];
  /** The task whose completion completes the Job. Undefined: the Job runs until a user ends it. */
  readonly deciding?: string | undefined;
  /** Applied before the changes of the basic plugins, to pods of tasks with a role in the framework. */
  pod(task: VolcanoTask, index: number): PodChange;
  /** Port of sshd, unless an argument of the plugin `ssh` sets it. */
  readonly sshPort?: number;
  /** Ports open to all peers; the NetworkPolicy of `svc` opens the others to the Job's pods only. */
  readonly openPorts?: readonly number[];
  readonly ownedResources?: readonly DesiredResource[];
}

export interface FrameworkPlugin {
  readonly name: FrameworkPluginName;
  /** The framework of the operator that runs such Jobs, if its name differs. */
  readonly framework?: string;
  readonly flags: Flags;
  /** Basic plugins that are always active. */
  readonly needs: readonly BasicPlugin[];
  inJob(job: VolcanoTasks, values: Values<Flags>): PluginInJob;
}

export function frameworkPlugin<F extends Flags>(
  plugin: Omit<FrameworkPlugin, 'flags' | 'inJob'> & {
    readonly flags: F;
    readonly inJob: (job: VolcanoTasks, values: Values<F>) => PluginInJob;
  },
): FrameworkPlugin {
  return { ...plugin, inJob: (job, values) => plugin.inJob(job, values as Values<F>) };
}
