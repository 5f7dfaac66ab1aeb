/**
 * The adapter of MXJob. Rules follow kubeflow/training-operator v1.8, pkg/controller.v1/mxnet, the last release with
 * this kind; docs/administrators/differences.md lists intended differences.
 */
import {
  problemsWithPorts,
  readRoles,
  trainingOperatorLabels,
  type FrameworkAdapter,
  type ReplicaRole,
} from '@muster/common-job-controller';
import {
  MANAGED_BY_TRAINING_OPERATOR,
  MX_JOBS,
  MX_ROLES,
  mxJobDefinition,
  OPERATOR_NAMES,
  type MXJob,
} from '@muster/job-api';
import { mxEnv } from './mx-env.ts';
import { MX_MAIN } from './mx-main.ts';
import { decidingRole, type MXOptions, type MXTrainingJob } from './mx-options.ts';
import { outcome } from './mx-outcome.ts';

export function mxAdapter(): FrameworkAdapter<MXJob, MXOptions> {
  return {
    resource: MX_JOBS,
    definition: mxJobDefinition,
    framework: 'mxnet',
    installHint: 'npx muster crds mxnet | kubectl apply -f -',
    // Users look for the pod with the relevant log by the master's label.
    labels: trainingOperatorLabels(
      OPERATOR_NAMES.MXJob,
      (job: MXTrainingJob, { role, index }) => role === decidingRole(job) && index === 0,
    ),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    problems: (manifest) => problemsWithPorts(mxJobDefinition, manifest, 'mxReplicaSpecs', MX_MAIN),
    read: ({ spec }) => ({
      roles: joinedOnce(
        readRoles(spec.mxReplicaSpecs, {
          ...MX_MAIN,
          roleNames: MX_ROLES,
          defaultRestartPolicy: 'Never',
          endless: ['Scheduler', 'Server', 'TunerTracker', 'TunerServer'],
        }),
      ),
      options: { jobMode: spec.jobMode },
    }),
    network: {
      addressed({ roles }) {
        const role = roles.find(
          ({ name, replicas }) => replicas > 0 && (name === 'Scheduler' || name === 'TunerTracker'),
        );
        return role && { role, index: 0 };
      },
    },
    pod: (job, replica) => ({ env: mxEnv(job, replica) }),
    scheduling: {
      // Servers and workers register with the scheduler when they start.
      mayStart(_job, role, tallies) {
        const scheduler = tallies.find((tally) => tally.role.name === 'Scheduler' && tally.role.replicas > 0);
        return scheduler === undefined || role === scheduler.role || scheduler.running + scheduler.succeeded > 0;
      },
      waitsFor: () => 'the Scheduler runs',
    },
    outcome,
  };
}

const CANNOT_REJOIN =
  'A scheduler, server or worker of ps-lite that is lost after its start cannot rejoin, and the others would wait forever: ' +
  'save checkpoints in the program, resume from them, and submit the job again.';

/**
 * The roles that register once with a scheduler of ps-lite. Replicas of a tuning job and a single worker can be
 * restarted. So can a server or worker whose heartbeats the scheduler misses: the next one that registers takes its
 * place (dmlc/ps-lite, src/van.cc).
 */
function joinedOnce(roles: readonly ReplicaRole[]): ReplicaRole[] {
  const scheduler = roles.find(({ name, replicas }) => name === 'Scheduler' && replicas > 0);
  if (scheduler === undefined) return [...roles];
  const once = heedsHeartbeats(scheduler) ? ['Scheduler'] : ['Scheduler', 'Server', 'Worker'];
  const joins = ({ name }: ReplicaRole) => once.includes(name);
  return roles.map((role) => (joins(role) ? { ...role, cannotRejoin: CANNOT_REJOIN } : role));
}

function heedsHeartbeats({ template, containerName }: ReplicaRole): boolean {
  const { env = [] } = template.spec?.containers.find(({ name }) => name === containerName) ?? {};
  const timeout = env.find(({ name }) => name === 'PS_HEARTBEAT_TIMEOUT');
  return timeout !== undefined && timeout.value !== '' && timeout.value !== '0';
}
