/** The gang scheduler that the operator's flag names. */
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { KAI } from './kai.ts';
import { KUBERNETES } from './kubernetes.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';
import { YUNIKORN } from './yunikorn.ts';

const BY_NAME = [VOLCANO, KUBERNETES, YUNIKORN, KAI] as const;

/**
 * `--gang-scheduler-name`, read as kubeflow/training-operator reads it: empty is none, `volcano` in any case is Volcano,
 * any other name is a scheduler of that name with the plugin Coscheduling. But `kubernetes` is Kubernetes itself, and `yunikorn` and
 * `kai-scheduler` are YuniKorn and KAI.
 */
export function gangSchedulerNamed(name: string): GangScheduler | undefined {
  if (name === '') return undefined;
  return BY_NAME.find((each) => each.name === name.toLowerCase()) ?? schedulerPlugins(name);
}
