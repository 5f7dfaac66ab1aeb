/** The plugins of a Volcano Job: those it names, and those its framework needs. */
import type { Problem } from '@muster/common-job-controller';
import { nearestName, type VolcanoJob } from '@muster/job-api';
import type { Flags, Values } from '../arguments/flags.ts';
import { readArguments, type ReadArguments } from '../arguments/read-arguments.ts';
import { taskNamed, type VolcanoTasks } from '../model/volcano-tasks.ts';
import { ENV_FLAGS } from './env.ts';
import {
  BASIC_PLUGINS,
  FRAMEWORK_PLUGINS,
  type FrameworkPlugin,
  type FrameworkPluginName,
  type PluginInJob,
} from './framework-plugin.ts';
import { SSH_FLAGS, sshProblems } from './ssh.ts';
import { SVC_FLAGS } from './svc.ts';

export interface ChosenPlugins {
  readonly name: FrameworkPluginName;
  readonly framework: PluginInJob;
  /** Tasks with a role in the framework. Its plugin does not change pods of other tasks. */
  readonly roleTasks: ReadonlySet<string>;
  /** Undefined if the Job does not have the plugin. */
  readonly svc?: Values<typeof SVC_FLAGS> | undefined;
  readonly ssh?: Values<typeof SSH_FLAGS> | undefined;
  readonly hasEnv: boolean;
  readonly problems: readonly Problem[];
}

type Plugins = Pick<VolcanoJob['spec'], 'plugins'>;

/**
 * If several are named, the first, which refuses the Job. Undefined if no Muster operator runs the Job. Called with any manifest, also
 * with `plugins:` without a value.
 */
export function frameworkOf({
  plugins,
}: {
  readonly plugins?: Plugins['plugins'] | null;
}): FrameworkPluginName | undefined {
  return FRAMEWORK_PLUGINS.find((name) => plugins?.[name] !== undefined);
}

/** @param plugin the plugin of the framework that the Job names */
export function chosenPlugins(job: VolcanoTasks, { plugins = {} }: Plugins, plugin: FrameworkPlugin): ChosenPlugins {
  const read = <F extends Flags>(name: string, flags: F, isNeeded = false): ReadArguments<F> | undefined =>
    plugins[name] === undefined && !isNeeded ? undefined : readArguments(flags, plugins[name] ?? [], pathOf(name));
  const own = readArguments(plugin.flags, plugins[plugin.name] ?? [], pathOf(plugin.name));
  const svc = read('svc', SVC_FLAGS, plugin.needs.includes('svc'));
  const ssh = read('ssh', SSH_FLAGS, plugin.needs.includes('ssh'));
  const env = read('env', ENV_FLAGS);
  const framework = plugin.inJob(job, own.values);
  return {
    name: plugin.name,
    framework,
    roleTasks: new Set(taskFlags(plugin.flags).map((name) => own.values[name] as string)),
    svc: svc?.values,
    ssh: ssh && sshValues(ssh, framework),
    hasEnv: env !== undefined,
    problems: [
      ...unsupportedPlugins(plugins, plugin.name),
      ...[own, svc, ssh, env].flatMap((each) => each?.problems ?? []),
      ...taskProblems(job, plugin.flags, own),
      ...(ssh === undefined ? [] : sshProblems(ssh.values, pathOf('ssh'))),
      ...framework.problems,
    ],
  };
}

function sshValues({ values, places }: ReadArguments<typeof SSH_FLAGS>, { sshPort }: PluginInJob) {
  return sshPort === undefined || places.has('ssh-port') ? values : { ...values, 'ssh-port': sshPort };
}

/** Refuses unknown plugins: without them the Job would do something else. */
function unsupportedPlugins(plugins: NonNullable<Plugins['plugins']>, own: string): Problem[] {
  const supported: readonly string[] = [own, ...BASIC_PLUGINS];
  return Object.keys(plugins).flatMap((name) => {
    if (supported.includes(name)) return [];
    const path = pathOf(name);
    if (FRAMEWORK_PLUGINS.some((framework) => framework === name)) {
      return [{ path, message: `Forbidden: a Job has one framework, and spec.plugins has ${own} as well: keep one` }];
    }
    const nearest = nearestName(name, supported);
    const hint = nearest === undefined ? `use ${own}, ${BASIC_PLUGINS.join(', ')}` : `did you mean ${nearest}?`;
    return [{ path, message: `Unsupported value: "${name}": Muster has no such plugin: ${hint}` }];
  });
}

function taskProblems(job: VolcanoTasks, flags: Flags, { values, places }: ReadArguments<Flags>): Problem[] {
  const named = taskFlags(flags);
  return named.flatMap((name): Problem[] => {
    const path = places.get(name);
    if (path === undefined) return [];
    const task = values[name] as string;
    const shown = `"--${name}=${task}"`;
    if (taskNamed(job, task) === undefined) {
      const known = job.tasks.map((each) => each.name).join(', ');
      return [{ path, message: `Invalid value: ${shown}: there is no task ${task}: the tasks are ${known}` }];
    }
    const conflicting = named.find((other) => other !== name && values[other] === task);
    if (conflicting === undefined) return [];
    return [{ path, message: `Invalid value: ${shown}: --${conflicting} names this task already: name another` }];
  });
}

function taskFlags(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, { namesTask }]) => (namesTask === true ? [name] : []));
}

function pathOf(plugin: string): string {
  return `spec.plugins.${plugin}`;
}
