/**
 * What becomes of a task's template in a pod: the framework's part first, where the task has a role in it, then the keys, the network
 * and the index.
 */
import type { VolcanoTrainingJob } from './model/read-volcano-job.ts';
import { taskNamed } from './model/volcano-tasks.ts';
import { indexVariables } from './plugins/env.ts';
import { sshPod } from './plugins/ssh.ts';
import { svcPod } from './plugins/svc.ts';
import { inOrder, type PodChange } from './pods/pod-change.ts';

/** In this order always: init containers that the framework adds have all that the others have. */
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
