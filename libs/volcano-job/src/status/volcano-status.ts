/** Writes a Job's status in Volcano's format, which `vcctl`, Argo and scripts read. */
import { controllerOf, type ReplicaPod, type StatusView } from '@muster/common-job-controller';
import { hasEnded, type JobStatus, type VolcanoJob } from '@muster/job-api';
import type { VolcanoOptions } from '../model/read-volcano-job.ts';
import { ENDED_BY } from '../model/policies.ts';
import { retriesOf } from '../volcano-outcome.ts';

type Counter = 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

/** Other conditions do not affect the phase. */
const PHASES: Readonly<Record<string, string>> = {
  Created: 'Pending',
  Running: 'Running',
  Restarting: 'Restarting',
  Suspended: 'Aborted',
  Succeeded: 'Completed',
  Failed: 'Failed',
};

const PHASES_BY_REASON: Readonly<Record<string, string>> = {
  [ENDED_BY.TerminateJob]: 'Terminated',
  [ENDED_BY.AbortJob]: 'Aborted',
};

const TRANSITIONAL_PHASES: Readonly<Record<string, string>> = {
  Completed: 'Completing',
  Terminated: 'Terminating',
  Aborted: 'Aborting',
};

export function volcanoStatus(
  record: JobStatus,
  { manifest, job, replicas, context }: StatusView<VolcanoJob, VolcanoOptions>,
): object {
  // The engine counts no replicas of an aborted Job, so its remaining pods are counted here.
  const leaving = context.pods.filter((pod) => controllerOf(pod)?.uid === manifest.metadata?.uid && !hasEnded(pod));
  const counts = replicas.length === 0 ? { ...countsOf(replicas), terminating: leaving.length } : countsOf(replicas);
  const phases = (record.conditions ?? []).flatMap(({ type, reason = '', lastTransitionTime }) => {
    const status = PHASES_BY_REASON[reason] ?? PHASES[type];
    return status === undefined ? [] : [{ status, ...(lastTransitionTime && { lastTransitionTime }) }];
  });
  const last = record.conditions?.findLast(({ type, status }) => status === 'True' && PHASES[type] !== undefined);
  const phase = (last && (PHASES_BY_REASON[last.reason ?? ''] ?? PHASES[last.type])) ?? 'Pending';
  const isUnderWay = counts.terminating + counts.running + counts.pending > 0;
  return {
    state: {
      phase: (isUnderWay ? TRANSITIONAL_PHASES[phase] : undefined) ?? phase,
      ...(last?.reason && { reason: last.reason }),
      ...(last?.message && { message: last.message }),
      ...(last?.lastTransitionTime && { lastTransitionTime: last.lastTransitionTime }),
    },
    conditions: phases,
    ...(job && { minAvailable: job.options.minAvailable }),
    ...counts,
    taskStatusCount: countsOfTasks(replicas),
    retryCount: retriesOf({ status: record }),
    ...(job && { controlledResources: controlledResources(job.options) }),
  };
}

function countsOf(replicas: readonly ReplicaPod[]): Record<Counter, number> {
  const of = (state: ReplicaPod['state']) =>
    replicas.filter((each) => each.state === state && each.pod !== undefined).length;
  return {
    pending: of('pending'),
    running: of('running'),
    succeeded: replicas.filter(({ state }) => state === 'succeeded').length,
    failed: of('failed'),
    terminating: of('terminating'),
  };
}

function countsOfTasks(replicas: readonly ReplicaPod[]): object {
  const names = [...new Set(replicas.map(({ role }) => role.name))];
  return Object.fromEntries(
    names.flatMap((name) => {
      const counts = countsOf(replicas.filter(({ role }) => role.name === name));
      const phases = Object.entries(counts).filter(([, count]) => count > 0);
      if (phases.length === 0) return [];
      return [[name, { phase: Object.fromEntries(phases.map(([state, count]) => [capitalized(state), count])) }]];
    }),
  );
}

/** Active plugins, in Volcano's format of `controlledResources`. */
function controlledResources({ plugins }: VolcanoOptions): Record<string, string> {
  const names = [...(plugins.svc ? ['svc'] : []), ...(plugins.ssh ? ['ssh'] : []), ...(plugins.hasEnv ? ['env'] : [])];
  return Object.fromEntries([plugins.name, ...names].map((name) => [`plugin-${name}`, name]));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
