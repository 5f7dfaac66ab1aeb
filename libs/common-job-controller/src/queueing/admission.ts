/** Kueue's decision on a job's Workload: whether its pods may be created, how many, in what form, and if not, why. */
import type { PodTemplateSpec } from '@muster/job-api';
import type { ReplicaRole, TrainingJob } from '../model/training-job.ts';
import { conditionOf, holds, type AdmissionCheck, type KueueWorkload, type TemplateUpdate } from './kueue-objects.ts';
import type { QueueingObjects } from '../model/queueing-objects.ts';
import type { Hold } from '../model/hold.ts';
import { countOf, podSetName } from './queue-workload.ts';
import { givenForTopology } from './topology.ts';

export function isAdmitted(workload: KueueWorkload): boolean {
  return holds(workload, 'Admitted') && workload.status?.admission !== undefined && !holds(workload, 'Evicted');
}

export function holdBy(queue: string, workload: KueueWorkload): Hold {
  const evicted = conditionOf(workload, 'Evicted');
  const waits = waitsFor(workload);
  if (evicted?.status === 'True') {
    const now = waits === evicted.message ? '' : `; now: ${waits}`;
    const message = `Kueue evicted the job from queue ${queue} (${evicted.reason}): ${evicted.message}${now}`;
    return { by: 'queue', reason: 'Evicted', message };
  }
  return { by: 'queue', reason: 'Queued', message: `The job waits in queue ${queue} of Kueue: ${waits}` };
}

function waitsFor(workload: KueueWorkload): string {
  const quota = conditionOf(workload, 'QuotaReserved');
  if (quota === undefined) return 'Kueue has not decided yet.';
  if (quota.status !== 'True') return quota.message ?? quota.reason ?? 'no quota is available.';
  const open = (workload.status?.admissionChecks ?? []).filter(({ state }) => state !== 'Ready');
  return `quota is reserved, and the job waits for ${open.map(checkText).join('; ') || 'admission'}.`;
}

function checkText({ name, state, message = '' }: AdmissionCheck): string {
  return `admission check ${name} (${state}${message === '' ? '' : `: ${message}`})`;
}

export function unknownFlavor(workload: KueueWorkload, { flavors }: QueueingObjects): string | undefined {
  const known = new Set(flavors.map(({ metadata }) => metadata?.name));
  const assignments = workload.status?.admission?.podSetAssignments ?? [];
  return assignments.flatMap((each) => Object.values(each.flavors ?? {})).find((name) => !known.has(name));
}

/**
 * Values set by the user take precedence.
 *
 * @param done the number of succeeded pods of a pod set, which need no more quota
 */
export function asAdmitted(
  job: TrainingJob,
  workload: KueueWorkload,
  { flavors }: QueueingObjects,
  done: (podSet: string) => number,
): TrainingJob {
  const { admission, admissionChecks = [], reclaimablePods = [] } = workload.status ?? {};
  const roles = job.roles.map((role): ReplicaRole => {
    const name = podSetName(role);
    const assignment = admission?.podSetAssignments?.find((each) => each.name === name);
    if (assignment === undefined) return role;
    // Reclaimable pods also include succeeded ones, which do not reduce the size.
    const returned = Math.max(0, countOf(reclaimablePods, name) - done(name));
    const assigned = new Set(Object.values(assignment.flavors ?? {}));
    const ofFlavors = flavors
      .filter(({ metadata }) => assigned.has(metadata?.name ?? ''))
      .map(({ spec }) => ({ nodeSelector: spec?.nodeLabels, tolerations: spec?.tolerations }));
    const ofChecks = admissionChecks.flatMap(({ podSetUpdates = [] }) =>
      podSetUpdates.filter((update) => update.name === name),
    );
    const ofTopology = givenForTopology(workload, assignment, role.template) ?? [];
    return {
      ...role,
      replicas: Math.min(role.replicas, (assignment.count ?? role.replicas) - returned),
      template: [ofFlavors, ofChecks, ofTopology].flat().reduce(given, role.template),
    };
  });
  return { ...job, roles };
}

function given({ metadata, spec }: PodTemplateSpec, more: TemplateUpdate): PodTemplateSpec {
  const { labels, annotations, nodeSelector, tolerations = [], schedulingGates = [] } = more;
  const before = spec?.tolerations ?? [];
  const known = new Set(before.map((each) => JSON.stringify(each)));
  const added = tolerations.filter((each) => !known.has(JSON.stringify(each)));
  return {
    ...((metadata ?? labels ?? annotations) && {
      metadata: {
        ...metadata,
        ...(labels && { labels: { ...labels, ...metadata?.labels } }),
        ...(annotations && { annotations: { ...annotations, ...metadata?.annotations } }),
      },
    }),
    spec: {
      containers: [],
      ...spec,
      ...(nodeSelector && { nodeSelector: { ...nodeSelector, ...spec?.nodeSelector } }),
      ...(added.length > 0 && { tolerations: [...before, ...added] }),
      ...(schedulingGates.length > 0 && { schedulingGates: [...(spec?.schedulingGates ?? []), ...schedulingGates] }),
    },
  };
}
