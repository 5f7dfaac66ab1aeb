/** Refuses fields that Muster does not support: ignoring them would change what the Job does. */
import type { Problem } from '@muster/common-job-controller';
import { eventsOf, type VolcanoAction, type VolcanoEvent, type VolcanoJob, type VolcanoPolicy } from '@muster/job-api';
import { ENDING_ACTIONS } from './policies.ts';

type Spec = VolcanoJob['spec'];

const EVENTS: readonly VolcanoEvent[] = ['*', 'PodFailed', 'PodEvicted', 'PodPending', 'TaskCompleted'];

const ACTIONS: readonly VolcanoAction[] = ['RestartJob', 'RestartTask', 'RestartPod', ...ENDING_ACTIONS];

const WITH_PARTITIONS: readonly VolcanoAction[] = ['RestartPartition', ...ACTIONS];

export function unsupportedFields(spec: Spec): Problem[] {
  const tasks = spec.tasks.flatMap(({ partitionPolicy, topologyPolicy, policies }, at) => [
    ...unsupported(`spec.tasks[${at}].partitionPolicy.networkTopology`, partitionPolicy?.networkTopology),
    ...unsupported(
      `spec.tasks[${at}].topologyPolicy`,
      topologyPolicy === 'none' ? undefined : topologyPolicy || undefined,
    ),
    ...policyProblems(`spec.tasks[${at}].policies`, policies, partitionPolicy !== undefined),
  ]);
  return [
    ...tasks,
    ...policyProblems(
      'spec.policies',
      spec.policies,
      spec.tasks.every(({ partitionPolicy }) => partitionPolicy !== undefined),
    ),
    ...unsupported('spec.networkTopology', spec.networkTopology, TOPOLOGY_BY_ANNOTATIONS),
    ...unsupported('spec.runningEstimate', spec.runningEstimate),
  ];
}

const TOPOLOGY_BY_ANNOTATIONS =
  'use the annotations volcano.sh/network-topology-mode and volcano.sh/network-topology-highest-tier';

function unsupported(path: string, value: unknown, instead = 'remove it'): Problem[] {
  return value === undefined ? [] : [{ path, message: `Forbidden: Muster does not support it: ${instead}` }];
}

function policyProblems(path: string, policies: readonly VolcanoPolicy[] = [], hasPartitions: boolean): Problem[] {
  return policies.flatMap((policy, at) => {
    const here = `${path}[${at}]`;
    const { action, timeout } = policy;
    const events = eventsOf(policy);
    const event = events.find((each) => !EVENTS.includes(each));
    const known = events.includes('TaskCompleted') ? ENDING_ACTIONS : hasPartitions ? WITH_PARTITIONS : ACTIONS;
    return [
      ...(event === undefined ? [] : [otherThan(`${here}.event`, event, EVENTS)]),
      ...(events.includes('PodPending') && timeout === undefined
        ? [{ path: `${here}.timeout`, message: NO_TIMEOUT }]
        : []),
      ...(known.includes(action) ? [] : [otherThan(`${here}.action`, action, known)]),
    ];
  });
}

const NO_TIMEOUT = 'Required value: every pod is pending at first: set how long it may be pending';

function otherThan(path: string, value: string, known: readonly string[]): Problem {
  return { path, message: `Unsupported value: "${value}": Muster supports ${known.join(', ')} here` };
}
