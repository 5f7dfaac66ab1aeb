/**
 * The adapter of RayJob: a kind without pods of its own, which owns a RayCluster and a submitter Job. `read` evaluates
 * the state machine (`ray-job-state.ts`) once per reconcile run; status, objects and calls derive from that step.
 */
import type { FrameworkAdapter, JobContext, JobLabels, Outcome, OwnedKind } from '@muster/common-job-controller';
import { BATCH_JOBS, MANAGED_BY_KUBERAY, RAY_CLUSTERS, RAY_JOBS, type RayJob, rayJobDefinition } from '@muster/job-api';
import type { RaySettings } from '../cluster/ray-settings.ts';
import { DEFAULT_RAY_SETTINGS, recordedSettings } from '../cluster/ray-settings.ts';
import { ignoredJobFields } from '../model/ignored-fields.ts';
import { rayJobProblems } from '../model/ray-problems.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { jobLabels } from './ray-job-labels.ts';
import { nextState, RAY_JOB_STATES, type EvaluatedRayJob } from './ray-job-state.ts';
import { observedRayJob, unaskableState } from './observe-ray-job.ts';
import { inheritedJobRecord } from './legacy-job-record.ts';
import { jobCalls, jobProbes, stopProbe } from './ray-job-probes.ts';
import { jobObjects, objectsAfterEnd } from './ray-job-objects.ts';
import { RAY_JOB_GAUGES } from './ray-job-gauges.ts';
import { runtimeEnvWarnings } from './ray-job-submission.ts';
import { shownStatus } from './public-status.ts';
import { submitterWarnings } from './submitter-warnings.ts';
import { RAY_JOB_DIFFERENCES } from '../ray-documented.ts';

const owned = (resource: OwnedKind['resource']): OwnedKind => ({
  resource,
  endsWithRun: true,
  trim: (object) => object,
});

const KINDS: readonly OwnedKind[] = [owned(RAY_CLUSTERS), owned(BATCH_JOBS)];

/** KubeRay's. It keeps a deleted RayJob until Ray's job is stopped. */
const finalize: NonNullable<FrameworkAdapter<RayJob, EvaluatedRayJob>['finalize']> = {
  name: 'ray.io/rayjob-finalizer',
  // Ray's job on the job's own cluster is deleted with the cluster.
  isNeeded: ({ spec }) => (spec as RayJob['spec']).clusterSelector !== undefined,
  step({ options }, _replicas, context) {
    const stop = stopProbe(options.observed);
    // One request is enough: a silent dashboard does not delay the deletion.
    if (stop === undefined || context.probeResults.has(stop.name)) return { isDone: true };
    return { isDone: false, calls: [stop] };
  },
};

const labels: JobLabels<EvaluatedRayJob> = {
  selector: { key: RAY_LABELS.cluster },
  ofJob: jobLabels,
  jobOf: ({ [RAY_LABELS.originKind]: kind, [RAY_LABELS.originName]: name }) => (kind === 'RayJob' ? name : undefined),
  ofPod: () => ({}),
  replicaOf: () => undefined,
};

export function rayJobAdapter(overrides: Partial<RaySettings> = {}): FrameworkAdapter<RayJob, EvaluatedRayJob> {
  const { clusterDomain } = { ...DEFAULT_RAY_SETTINGS, ...overrides };
  return {
    resource: RAY_JOBS,
    definition: rayJobDefinition,
    framework: 'ray',
    madeWith: recordedSettings(overrides),
    documented: RAY_JOB_DIFFERENCES,
    installHint: 'npx muster crds ray | kubectl apply -f -',
    labels,
    lifecycle: {
      managers: [MANAGED_BY_KUBERAY],
      hasBackoffLimit: false,
      runPolicy: ({ spec }) => ({
        suspend: spec.suspend ?? false,
        ...(spec.managedBy !== undefined && { managedBy: spec.managedBy }),
      }),
    },
    problems: rayJobProblems,
    warnings: (job) => [...ignoredJobFields(job), ...runtimeEnvWarnings(job), ...submitterWarnings(job)],
    read: (manifest, context) => ({ roles: [], options: evaluated(manifest, context, clusterDomain) }),
    pod: () => ({}),
    outcome: ({ options }) => outcomeOf(options),
    agingStates: (manifest, pods, others) =>
      [unaskableState(manifest, { pods, ...others })].filter((state) => state !== undefined),
    references: {
      kinds: [{ resource: RAY_CLUSTERS, trim: (cluster) => cluster }],
      of: ({ spec }: Partial<Pick<RayJob, 'spec'>>) => {
        const name = spec?.clusterSelector?.[RAY_LABELS.cluster];
        if (name === undefined) return [];
        return [
          { resource: RAY_CLUSTERS, name, isRequired: true, path: `spec.clusterSelector[${RAY_LABELS.cluster}]` },
        ];
      },
    },
    probes: {
      sendsToServices: true,
      polled: (manifest, context) => jobProbes(observedRayJob(manifest, context, clusterDomain)),
      calls: ({ options }) => jobCalls(options),
    },
    ownedResources: {
      kinds: KINDS,
      desired: ({ options }) => jobObjects(options),
      afterEnd: ({ options }) => objectsAfterEnd(options),
    },
    status: {
      recordIn: 'muster',
      inherited: inheritedJobRecord,
      encode: (record, { manifest, job }) => shownStatus(record, manifest, job?.options.step.record),
    },
    gauges: RAY_JOB_GAUGES,
    finalize,
  };
}

function evaluated(manifest: RayJob, context: JobContext, clusterDomain: string): EvaluatedRayJob {
  const observed = observedRayJob(manifest, context, clusterDomain);
  return { manifest, observed, step: nextState(observed) };
}

function outcomeOf({ observed, step }: EvaluatedRayJob): Outcome {
  const { record, recheckAfterMs, warnings } = step;
  const { phase } = RAY_JOB_STATES[record.jobDeploymentStatus];
  const again = { warnings, ...(recheckAfterMs !== undefined && { recheckAfterMs }) };
  const { name } = observed;
  switch (phase) {
    case 'Pending':
      return { phase, ...again };
    case 'Running':
      return { phase, message: `RayJob ${name} is running on RayCluster ${record.rayClusterName}.`, ...again };
    case 'Restarting':
      // Emitted once per attempt.
      if (observed.record.jobDeploymentStatus === 'Retrying') return { phase: 'Pending', ...again };
      return { phase, message: `RayJob ${name} is retried on another cluster: ${record.message}`, ...again };
    case 'Succeeded':
      return { phase, message: `Ray job ${record.jobId} has ended as ${record.jobStatus}.`, ...again };
    case 'Failed': {
      const { message = `RayJob ${name} has failed.`, reason } = record;
      return { phase, message, ...(reason !== undefined && { reason }), ...again };
    }
  }
}
