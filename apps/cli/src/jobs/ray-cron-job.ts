/** What `muster why` says about a RayCronJob: its next run, or why there is none, and its RayJobs. */
import type { JobManifest } from '@muster/common-job-controller';
import type { RayCronJobStatus } from '@muster/job-api';
import type { KindExplanation } from './kind-explanation.ts';

export function explainCronJob({ metadata, status }: JobManifest): KindExplanation {
  const { conditions = [], active = [], ...times } = (status ?? {}) as RayCronJobStatus;
  const scheduled = conditions.find(({ type }) => type === 'Scheduled');
  const isOnSchedule = scheduled?.status === 'True';
  const { reason = 'Unknown', message = '' } = scheduled ?? {};
  const runs = `kubectl get rayjobs -l ray.io/cronjob-name=${metadata?.name ?? ''}`;
  return {
    headline: isOnSchedule ? `is on schedule. ${message}` : `creates no RayJobs (${reason}): ${message}`,
    details: [
      active.length === 0
        ? 'No RayJob of it runs.'
        : `RayJobs that have not ended: ${active.map(({ name }) => name).join(', ')}.`,
      ...shown('Last run', times.lastScheduleTime),
      ...shown('Last success', times.lastSuccessfulTime),
      ...shown('Last missed run', times.lastMissedTime),
    ],
    next: [...(NEXT[reason]?.(active[0]?.name) ?? []), runs],
  };
}

function shown(what: string, time: string | undefined): string[] {
  return time === undefined ? [] : [`${what}: ${time}.`];
}

/** By the reason of the condition Scheduled. */
const NEXT: Readonly<Partial<Record<string, (active?: string) => string[]>>> = {
  Suspended: () => ['resume'],
  InvalidChange: () => ['kubectl edit'],
  PreviousRunActive: (active) => (active === undefined ? [] : [`kubectl delete rayjob ${active}`]),
};
