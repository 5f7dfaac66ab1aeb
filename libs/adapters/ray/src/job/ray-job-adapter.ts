/**
 * The adapter of RayJob: a kind without pods of its own, which owns a RayCluster and a Job that submits. Where a job stands is the
 * matter of one table (`ray-job-state.ts`), which is asked of the same World by everything here, so that what is written, what
 * is made and what is asked agree.
 */
import type { FrameworkAdapter, JobContext, JobLabels, Outcome, OwnedKind } from '@muster/common-job-controller';
import { BATCH_JOBS, MANAGED_BY_KUBERAY, RAY_CLUSTERS, RAY_JOBS, type RayJob } from '@muster/job-api';
import type { RaySettings } from '../cluster/ray-settings.ts';
import { DEFAULT_RAY_SETTINGS, recordedSettings } from '../cluster/ray-settings.ts';
import { ignoredJobFields } from '../model/ignored-fields.ts';
import { rayJobProblems } from '../model/ray-problems.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { jobLabels } from './ray-job-labels.ts';
import { nextState } from './ray-job-state.ts';
import { observedRayJob, unaskableState } from './observe-ray-job.ts';
import { inheritedJobRecord } from './inherited-job-record.ts';
import { jobCalls, jobQuestions, stopQuestion } from './ray-job-questions.ts';
import { jobObjects, objectsAfterEnd } from './ray-job-objects.ts';
import { RAY_JOB_GAUGES } from './ray-job-gauges.ts';
import { runtimeEnvWarnings } from './ray-job-submission.ts';
import { shownStatus } from './shown-status.ts';
import { submitterWarnings } from './submitter-warnings.ts';

export interface RayJobOptions {
  readonly manifest: RayJob;
  readonly clusterDomain: string;
}

const owned = (resource: OwnedKind['resource']): OwnedKind => ({
  resource,
  endsWithRun: true,
  trim(object) {
    const { managedFields: _managers, ...metadata } = object.metadata ?? {};
    return { ...object, metadata };
  },
});

const KINDS: readonly OwnedKind[] = [owned(RAY_CLUSTERS), owned(BATCH_JOBS)];

/** Upstream's, which stops Ray's job before a deleted RayJob goes. */
const FINALIZER = 'ray.io/rayjob-finalizer';

const labels: JobLabels<RayJobOptions> = {
  selector: { key: RAY_LABELS.cluster },
  ofJob: jobLabels,
  jobOf: ({ [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name }) => (kind === 'RayJob' ? name : undefined),
  ofPod: () => ({}),
  replicaOf: () => undefined,
};

export function rayJobAdapter(overrides: Partial<RaySettings> = {}): FrameworkAdapter<RayJob, RayJobOptions> {
  const { clusterDomain } = { ...DEFAULT_RAY_SETTINGS, ...overrides };
  const observe = (manifest: RayJob, context: JobContext) => observedRayJob(manifest, context, clusterDomain);
  return {
    resource: RAY_JOBS,
    ...{ framework: 'ray', madeWith: recordedSettings(overrides) },
    installHint: 'npx muster crds ray | kubectl apply -f -',
    labels,
    lifecycle: {
      managers: [MANAGED_BY_KUBERAY],
      runPolicy: ({ spec }) => ({
        suspend: spec.suspend ?? false,
        ...(spec.managedBy !== undefined && { managedBy: spec.managedBy }),
      }),
    },
    problems: rayJobProblems,
    warnings: (job) => [...ignoredJobFields(job), ...runtimeEnvWarnings(job), ...submitterWarnings(job)],
    read: (manifest) => ({ roles: [], options: { manifest, clusterDomain } }),
    pod: () => ({}),
    outcome: ({ options }, _tallies, context) => outcomeOf(options.manifest, observe(options.manifest, context)),
    agingStates: (manifest, pods, others) =>
      [unaskableState(manifest, { pods, ...others })].filter((state) => state !== undefined),
    references: {
      kinds: [{ resource: RAY_CLUSTERS, trim: (cluster) => cluster }],
      of: ({ spec }) => {
        const name = spec.clusterSelector?.[RAY_LABELS.cluster];
        if (name === undefined) return [];
        return [
          { resource: RAY_CLUSTERS, name, isRequired: true, path: `spec.clusterSelector[${RAY_LABELS.cluster}]` },
        ];
      },
    },
    facts: {
      asksServices: true,
      questions: (manifest, context) => jobQuestions(observe(manifest, context)),
      calls: ({ options }, _replicas, context) => jobCalls(observe(options.manifest, context)),
    },
    ownedResources: {
      kinds: KINDS,
      desired: ({ options }, _replicas, context) => jobObjects(options.manifest, observe(options.manifest, context)),
      afterEnd: ({ options }, context) => objectsAfterEnd(options.manifest, observe(options.manifest, context)),
    },
    status: {
      recordIn: 'muster',
      inherited: inheritedJobRecord,
      encode: (record, { manifest, job, context }) =>
        shownStatus(record, manifest, job === undefined ? undefined : nextState(observe(manifest, context)).record),
    },
    gauges: RAY_JOB_GAUGES,
    finalize: {
      name: FINALIZER,
      // What runs on a cluster of its own goes with that.
      isNeeded: ({ spec }) => (spec as RayJob['spec']).clusterSelector !== undefined,
      step({ options }, _replicas, context) {
        const stop = stopQuestion(observe(options.manifest, context));
        // Once is enough: a dashboard that does not answer holds no deletion up.
        if (stop === undefined || context.facts.has(stop.name)) return { isDone: true };
        return { isDone: false, calls: [stop] };
      },
    },
  };
}

function outcomeOf({ metadata, status }: RayJob, observed: ReturnType<typeof observedRayJob>): Outcome {
  const { record, recheckAfterMs, warnings } = nextState(observed);
  const again = { warnings, ...(recheckAfterMs !== undefined && { recheckAfterMs }) };
  const name = metadata?.name ?? '';
  switch (record.jobDeploymentStatus) {
    case 'Complete':
      return { phase: 'Succeeded', message: `Ray job ${record.jobId} has ended as ${record.jobStatus}.`, ...again };
    case 'Failed':
      return {
        phase: 'Failed',
        message: record.message ?? `RayJob ${name} has failed.`,
        ...(record.reason !== undefined && { reason: record.reason }),
        ...again,
      };
    case 'Retrying':
      if (status?.jobDeploymentStatus === 'Retrying') return { phase: 'Pending', ...again };
      return {
        phase: 'Restarting',
        message: `RayJob ${name} begins anew on another cluster: ${record.message}`,
        ...again,
      };
    case 'Running':
      return {
        phase: 'Running',
        message: `RayJob ${name} is running on RayCluster ${record.rayClusterName}.`,
        ...again,
      };
    default:
      return { phase: 'Pending', ...again };
  }
}
