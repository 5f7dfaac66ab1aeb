/** The gang scheduler that the operator's flag names. */
import type { GangScheduler } from './gang-scheduler.ts';
import { KUBERNETES } from './kubernetes.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';

/**
 * `--gang-scheduler-name`, read as kubeflow/training-operator reads it: empty is none, `volcano` in any case is Volcano,
 * any other name is a scheduler of that name with the plugin Coscheduling. But `kubernetes` is Kubernetes itself.
 */
export function gangSchedulerNamed(name: string): GangScheduler | undefined {
  if (name === '') return undefined;
  if (name.toLowerCase() === KUBERNETES.name) return KUBERNETES;
  return name.toLowerCase() === VOLCANO.name ? VOLCANO : schedulerPlugins(name);
}
