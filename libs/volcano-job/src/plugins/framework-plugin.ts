/**
 * What makes a framework of a Volcano Job: the plugin of that name. Its adapter has it, so that the same code tells a pod its
 * place in a Job of Kubeflow's or Ray's kind and in one of Volcano's.
 */
import type { DesiredResource, Problem } from '@muster/common-job-controller';
import type { Flags, Values } from '../arguments/flags.ts';
import type { VolcanoTask, VolcanoTasks } from '../model/volcano-tasks.ts';
import type { PodChange } from '../pods/pod-change.ts';

/** Plugins that know no framework. */
export const BASIC_PLUGINS = ['svc', 'ssh', 'env'] as const;

export type BasicPlugin = (typeof BASIC_PLUGINS)[number];

/** Those that operators of Muster know, each one. */
export const FRAMEWORK_PLUGINS = ['tensorflow', 'pytorch', 'mpi', 'mxnet', 'ray'] as const;

export type FrameworkPluginName = (typeof FRAMEWORK_PLUGINS)[number];

/** The plugin in a job, whose tasks and arguments are known. */
export interface PluginInJob {
  /** What is wrong with the tasks, for this framework. The rest is asked only where nothing is. */
  readonly problems: readonly Problem[];
  /** The task with which the job is completed. Undefined: none, it goes on until somebody ends it. */
  readonly deciding?: string | undefined;
  /** What a pod of a task with a role in the framework gets, before all that the basic plugins add. */
  pod(task: VolcanoTask, index: number): PodChange;
  /** On which port the plugin `ssh` reaches pods, where its own arguments do not say. */
  readonly sshPort?: number;
  /** On which ports its pods take connections from everywhere, though `svc` lets in none but the Job's own. */
  readonly openPorts?: readonly number[];
  /** Beside what the basic plugins make. */
  readonly ownedResources?: readonly DesiredResource[];
}

export interface FrameworkPlugin {
  readonly name: FrameworkPluginName;
  /** The operator that runs such Jobs, where it goes by another name. */
  readonly framework?: string;
  readonly flags: Flags;
  /** The basic plugins that it needs: a Job that does not name them has them all the same. */
  readonly needs: readonly BasicPlugin[];
  inJob(job: VolcanoTasks, values: Values<Flags>): PluginInJob;
}

/** `plugin`, whose values have the types of its own flags. */
export function frameworkPlugin<F extends Flags>(
  plugin: Omit<FrameworkPlugin, 'flags' | 'inJob'> & {
    readonly flags: F;
    readonly inJob: (job: VolcanoTasks, values: Values<F>) => PluginInJob;
  },
): FrameworkPlugin {
  return { ...plugin, inJob: (job, values) => plugin.inJob(job, values as Values<F>) };
}
