/** Statuses that clients of Kubeflow's kinds would misinterpret, by their own rules. */
import type { ClientJob } from './client-job.ts';
import { flytePhase, type FlytePhase } from './flyte.ts';
import { failedRoles } from './argo.ts';
import { katibOutcome } from './katib.ts';

const FLYTE: Readonly<Record<string, FlytePhase>> = {
  Created: 'Queued',
  Suspended: 'Queued',
  Running: 'Running',
  Restarting: 'Running',
  Succeeded: 'Success',
  Failed: 'RetryableFailure',
};

/** One line per mistake; none without a status. */
export function misread(job: ClientJob): string[] {
  const { status } = job;
  const { state, conditions = [] } = status ?? {};
  if (status === undefined || state === undefined) return [];
  const ends = conditions.filter(({ type }) => type === 'Succeeded' || type === 'Failed');
  const last = conditions.at(-1);
  // After any delay.
  const flyte = flytePhase(job, Infinity);
  const katib = katibOutcome(job);
  const end = state === 'Succeeded' || state === 'Failed' ? state : 'Running';
  return [
    ...(flyte === FLYTE[state] ? [] : [`Flyte reads ${flyte} in a job that is ${state}`]),
    ...(katib.type === end ? [] : [`Katib reads ${katib.type} in a job that is ${state}`]),
    ...(end === 'Running' ? failedRoles(job) : []).map(
      (role) => `Argo Workflows reads a failure of role ${role} in a job that is ${state}`,
    ),
    ...(end === 'Running' || (katib.reason && katib.message) ? [] : ['Katib finds no reason or message of the end']),
    // Flyte's IsTerminal and several dashboards read the type only.
    ...ends.filter((each) => each.status !== 'True').map(({ type, status: holds }) => `${type} has status ${holds}`),
    // Read by Kubeflow Pipelines, and the column STATE of upstream's CRDs.
    ...(end === 'Running' || (last?.type === end && last.status === 'True')
      ? []
      : [`${end} is not the last condition`]),
    ...conditions
      .filter(({ lastTransitionTime }) => Number.isNaN(Date.parse(lastTransitionTime ?? '')))
      .map(({ type }) => `${type} has no lastTransitionTime, on which Kubeflow's Python client fails`),
  ];
}
