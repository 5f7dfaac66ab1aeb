/** A Volcano Job's status in Volcano's words: its command line, Argo and scripts read them. */
import { controllerOf, hasEnded, type ReplicaPod, type StatusView } from '@muster/common-job-controller';
import type { JobStatus, VolcanoJob } from '@muster/job-api';
import type { VolcanoOptions } from '../model/read-volcano-job.ts';
import { ENDED_BY } from '../model/policies.ts';
import { retriesOf } from '../volcano-outcome.ts';

type Counter = 'pending' | 'running' | 'succeeded' | 'failed' | 'terminating';

/** By the engine's words; a condition that is none of these says nothing of the phase. */
const PHASES: Readonly<Record<string, string>> = {
  Created: 'Pending',
  Running: 'Running',
  Restarting: 'Restarting',
  Suspended: 'Aborted',
  Succeeded: 'Completed',
  Failed: 'Failed',
};

/** Of a Job that a policy has ended. */
const PHASES_BY_REASON: Readonly<Record<string, string>> = {
  [ENDED_BY.TerminateJob]: 'Terminated',
  [ENDED_BY.AbortJob]: 'Aborted',
};

/** What the Job is on its way to, while pods of it are still there. */
const ON_THE_WAY: Readonly<Record<string, string>> = {
  Completed: 'Completing',
  Terminated: 'Terminating',
  Aborted: 'Aborting',
};

export function volcanoStatus(
  record: JobStatus,
  { manifest, job, replicas, context }: StatusView<VolcanoJob, VolcanoOptions>,
): object {
  // Of a Job that is aborted the engine counts no replicas: its pods are on their way out, in whatever phase they are.
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
      phase: (isUnderWay ? ON_THE_WAY[phase] : undefined) ?? phase,
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

/** The plugins that the Job has, as Volcano marks what they have done. */
function controlledResources({ plugins }: VolcanoOptions): Record<string, string> {
  const names = [...(plugins.svc ? ['svc'] : []), ...(plugins.ssh ? ['ssh'] : []), ...(plugins.hasEnv ? ['env'] : [])];
  return Object.fromEntries([plugins.name, ...names].map((name) => [`plugin-${name}`, name]));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
