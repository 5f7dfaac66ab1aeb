import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { KAI } from './kai.ts';
import { KUBERNETES } from './kubernetes.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';
import { YUNIKORN } from './yunikorn.ts';

const BY_NAME = [VOLCANO, KUBERNETES, YUNIKORN, KAI] as const;

/**
 * Parses `--gang-scheduler-name` like kubeflow/training-operator, where an unknown name is a scheduler with the plugin Coscheduling.
 * `kubernetes`, `yunikorn` and `kai-scheduler` are additional names.
 */
export function gangSchedulerNamed(name: string): GangScheduler | undefined {
  if (name === '') return undefined;
  return BY_NAME.find((each) => each.name === name.toLowerCase()) ?? schedulerPlugins(name);
}
