/**
 * The adapter of PaddleJob. docs/administrators/differences/paddlejob.md lists intended differences from Kubeflow's operator.
 */
import {
  problemsWithPorts,
  readRoles,
  trainingOperatorLabels,
  type FrameworkAdapter,
} from '@muster/common-job-controller';
import {
  MANAGED_BY_TRAINING_OPERATOR,
  OPERATOR_NAMES,
  PADDLE_JOBS,
  PADDLE_ROLES,
  paddleJobDefinition,
  type PaddleJob,
} from '@muster/job-api';
import { paddleEnv, leader } from './paddle-env.ts';
import { PADDLE_MAIN } from './paddle-main.ts';
import { paddleOutcome } from './paddle-outcome.ts';

export function paddleAdapter(): FrameworkAdapter<PaddleJob> {
  return {
    resource: PADDLE_JOBS,
    framework: 'paddle',
    installHint: 'npx muster crds paddle | kubectl apply -f -',
    labels: trainingOperatorLabels(OPERATOR_NAMES.PaddleJob, (job, { role, index }) => {
      const lead = leader(job);
      return role === lead?.role && index === lead.index;
    }),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    status: { hasSelectors: true },
    problems: (manifest) => problemsWithPorts(paddleJobDefinition, manifest, 'paddleReplicaSpecs', PADDLE_MAIN),
    read: ({ spec }) => ({
      roles: readRoles(spec.paddleReplicaSpecs, {
        ...PADDLE_MAIN,
        roleNames: PADDLE_ROLES,
        defaultRestartPolicy: 'OnFailure',
      }),
      options: {},
    }),
    pod: (job, replica) => ({ env: paddleEnv(job, replica) }),
    outcome: paddleOutcome,
    network: { addressed: leader },
    elastic: {
      bounds: () => undefined,
      whyFixed: () =>
        'WORLD_SIZE in existing pods differs from that in new ones, because it is set at creation. Restore the number of replicas, or ' +
        'suspend the job, change it, and resume it',
    },
  };
}
