/**
 * The adapter of RayCronJob: a kind without pods of its own, which owns the RayJobs that it creates by a schedule.
 * `read` decides once per reconcile run (`cron-step.ts`); status and objects derive from that step.
 */
import type { DesiredResource, FrameworkAdapter, JobLabels } from '@muster/common-job-controller';
import { RAY_CRON_JOBS, RAY_JOBS, type RayCronJob, rayCronJobDefinition } from '@muster/job-api';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { rayCronJobProblems, rayCronJobWarnings } from './cron-job-problems.ts';
import { cronJobStatus } from './cron-job-status.ts';
import { existingRun, runLabels, scheduledRun } from './cron-run.ts';
import { cronStep, type EvaluatedCronJob } from './cron-step.ts';
import { observedCronJob } from './observe-cron-job.ts';
import { RAY_CRON_JOB_GAUGES } from './ray-cron-job-gauges.ts';

const labels: JobLabels<EvaluatedCronJob> = {
  // It has no pods: the pods of its runs are those of their RayClusters.
  selector: { key: RAY_LABELS.cluster },
  ofJob: runLabels,
  jobOf: () => undefined,
  ofPod: () => ({}),
  replicaOf: () => undefined,
};

export function rayCronJobAdapter(): FrameworkAdapter<RayCronJob, EvaluatedCronJob> {
  return {
    resource: RAY_CRON_JOBS,
    definition: rayCronJobDefinition,
    framework: 'ray',
    installHint: 'npx muster crds ray | kubectl apply -f -',
    // A cluster may have the CustomResourceDefinitions of an earlier Muster or KubeRay, which lack it.
    isOptional: true,
    labels,
    lifecycle: {
      managers: [],
      hasBackoffLimit: false,
      runPolicy: ({ spec }) => ({ suspend: spec.suspend ?? false }),
    },
    problems: rayCronJobProblems,
    warnings: rayCronJobWarnings,
    read(manifest, context) {
      const observed = observedCronJob(manifest, context);
      return { roles: [], options: { manifest, observed, step: cronStep(observed) } };
    },
    pod: () => ({}),
    outcome({ options: { step } }) {
      const { message, warnings, recheckAfterMs } = step;
      return { phase: 'Running', message, warnings, ...(recheckAfterMs !== undefined && { recheckAfterMs }) };
    },
    ownedResources: {
      // Their labels are those of the RayCronJob, and as jobs of the same operator they are all watched.
      kinds: [
        { resource: RAY_JOBS, endsWithRun: true, isAlwaysLabelled: true, hasOtherLabels: true, trim: (job) => job },
      ],
      desired: ({ options }) => desiredRuns(options),
    },
    status: { recordIn: 'muster', encode: cronJobStatus },
    gauges: RAY_CRON_JOB_GAUGES,
  };
}

function desiredRuns({ manifest, step: { keeps, createsMs } }: EvaluatedCronJob): DesiredResource[] {
  const runs = [...keeps.map(existingRun), ...(createsMs === undefined ? [] : [scheduledRun(manifest, createsMs)])];
  // A change of the template affects only later runs.
  return runs.map((object) => ({ resource: RAY_JOBS, object, change: () => undefined }));
}
