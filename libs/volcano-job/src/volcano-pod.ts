/** Applies the plugins to a pod. The order is fixed: the framework's init containers get the other plugins' changes. */
import type { VolcanoTrainingJob } from './model/read-volcano-job.ts';
import { taskNamed } from './model/volcano-tasks.ts';
import { indexVariables } from './plugins/env.ts';
import { sshPod } from './plugins/ssh.ts';
import { svcPod } from './plugins/svc.ts';
import { inOrder, type PodChange } from './pods/pod-change.ts';

export function volcanoPod({ options }: Pick<VolcanoTrainingJob, 'options'>, name: string, index: number): PodChange {
  const { tasks, plugins } = options;
  const task = taskNamed(tasks, name);
  if (task === undefined) return (spec) => spec;
  return inOrder([
    ...(plugins.roleTasks.has(task.name) ? [plugins.framework.pod(task, index)] : []),
    ...(plugins.ssh ? [sshPod(tasks, plugins.ssh)] : []),
    ...(plugins.svc ? [svcPod(tasks, task, index, plugins.svc)] : []),
    ...(plugins.hasEnv ? [indexVariables(index)] : []),
  ]);
}
