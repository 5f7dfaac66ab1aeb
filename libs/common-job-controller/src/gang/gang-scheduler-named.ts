import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { KAI } from './kai.ts';
import { KUBERNETES } from './kubernetes.ts';
import { schedulerPlugins } from './scheduler-plugins.ts';
import { VOLCANO } from './volcano.ts';
import { YUNIKORN } from './yunikorn.ts';

const BY_NAME = [VOLCANO, KUBERNETES, YUNIKORN, KAI] as const;

/**
 * Parses `--gang-scheduler-name` like kubeflow/training-operator: empty is none, `volcano` in any case is Volcano, any other name is a
 * scheduler with the plugin Coscheduling. In addition, `kubernetes` is Kubernetes' own gang scheduling, `yunikorn` is YuniKorn and
 * `kai-scheduler` is KAI.
 */
export function gangSchedulerNamed(name: string): GangScheduler | undefined {
  if (name === '') return undefined;
  return BY_NAME.find((each) => each.name === name.toLowerCase()) ?? schedulerPlugins(name);
}
