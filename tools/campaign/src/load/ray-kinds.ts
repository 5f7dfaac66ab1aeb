/** Ray's kinds. Their programs are strings that {@link programIn} reads: Ray itself is simulated. */
import { SeededRandom } from '@muster/fault-injection';
import { RAY_CLUSTERS, RAY_CRON_JOBS, RAY_JOBS, RAY_SERVICES } from '@muster/job-api';
import { programText, serveImport } from '../ray/simulated-program.ts';
import { type CampaignKind, containerOf, type JobShape, simulated } from './kinds.ts';

const suspension = (suspend: boolean) => ({ suspend });
const GROUP = 'small';

export const RAY_KINDS: readonly CampaignKind[] = [
  {
    ...{ framework: 'ray', resource: RAY_CLUSTERS, suspension, rivalOf: (name) => `${name}-head-svc` },
    specOf: (shape) => ({ ...suspended(shape), ...clusterSpec(shape) }),
    change: (random, shape) => ({ workerGroupSpecs: [groupOf(random.whole(0, Math.min(12, shape.pods)), shape)] }),
  },
  { framework: 'ray', resource: RAY_JOBS, suspension, specOf: jobSpec, limit: (backoffLimit) => ({ backoffLimit }) },
  {
    ...{ framework: 'ray', resource: RAY_CRON_JOBS, suspension, isSchedule: true },
    specOf: (shape) => {
      const random = new SeededRandom(shape.seed);
      const { suspend: _suspend, ...runPolicy } = shape.runPolicy;
      const concurrencyPolicy = random.pick(['Allow', 'Forbid', 'Replace']);
      // Half of them still run at the next time of the schedule.
      const ending = random.isOneIn(2) ? { ...shape.ending, afterMs: 75_000 } : shape.ending;
      return {
        ...suspended(shape),
        schedule: '* * * * *',
        concurrencyPolicy,
        jobTemplate: jobSpec({ ...shape, ending, runPolicy, pods: Math.min(3, shape.pods) }),
      };
    },
  },
  {
    ...{ framework: 'ray', resource: RAY_SERVICES, suspension, rivalOf: (name) => `${name}-serve-svc` },
    specOf: (shape) => ({
      ...suspended(shape),
      serveConfigV2: serveConfig(shape.seed),
      rayClusterConfig: clusterSpec(shape),
    }),
    change: (random, shape) =>
      random.isOneIn(2)
        ? { serveConfigV2: serveConfig(random.whole(0, 1_000)) }
        : {
            rayClusterConfig: {
              headGroupSpec: { template: template(`changed-${random.whole(0, 9)}`) },
              ...groups(shape),
            },
          },
  },
];

function suspended({ runPolicy: { suspend } }: JobShape) {
  return suspend === true ? { suspend } : {};
}

function jobSpec(shape: JobShape): object {
  const { ending, runPolicy, seed } = shape;
  const random = new SeededRandom(seed);
  const { suspend, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished: ttl } = runPolicy;
  const isDeleted = suspend === true || ttl !== undefined || !random.isOneIn(4);
  const entrypoint = `python train.py ${programText(ending)}`;
  const submissionMode = random.pick(['HTTPMode', 'K8sJobMode']);
  const submitter = { ...simulated({ ...ending, afterMs: ending.afterMs + random.whole(0, 3_000) }) };
  return {
    ...suspended(shape),
    ...{ entrypoint, submissionMode },
    ...(backoffLimit !== undefined && { backoffLimit }),
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
    // A job that keeps its cluster cannot be suspended.
    ...(isDeleted && { shutdownAfterJobFinishes: true, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) }),
    rayClusterSpec: clusterSpec(shape),
    ...(submissionMode === 'K8sJobMode' && {
      submitterPodTemplate: {
        metadata: submitter,
        spec: { restartPolicy: 'Never', containers: [withoutCommand('submitter')] },
      },
    }),
  };
}

function clusterSpec(shape: JobShape): object {
  return { rayVersion: '2.60.0', headGroupSpec: { rayStartParams: {}, template: template() }, ...groups(shape) };
}

function groups(shape: JobShape): object {
  return { workerGroupSpecs: [groupOf(Math.max(1, shape.pods - 1), shape)] };
}

function groupOf(replicas: number, { seed }: JobShape): object {
  const numOfHosts = seed % 5 === 0 ? 2 : 1;
  return {
    groupName: GROUP,
    replicas,
    minReplicas: 0,
    maxReplicas: 500,
    numOfHosts,
    rayStartParams: {},
    template: template(),
  };
}

function template(release = 'first'): object {
  const container = withoutCommand('ray');
  return { spec: { containers: [{ ...container, env: [{ name: 'RELEASE', value: release }] }] } };
}

/** Muster adds the command that starts Ray, or submits the job. */
function withoutCommand(name: string) {
  const { command: _command, ...container } = containerOf(name);
  return container;
}

/** An application in four does not start. */
function serveConfig(seed: number): string {
  return `applications:\n  - name: fruit\n    import_path: ${serveImport(seed % 4 !== 3)}\n    route_prefix: /v${seed}\n`;
}
