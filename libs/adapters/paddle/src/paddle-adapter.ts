/**
 * The adapter of PaddleJob. Rules follow kubeflow/training-operator, pkg/controller.v1/paddlepaddle;
 * docs/administrators/differences/paddlejob.md lists intended differences.
 */
import {
  autoscalingBy,
  boundsOf,
  problemsWithPorts,
  trainingOperatorLabels,
  type ElasticRole,
  type FrameworkAdapter,
  type TrainingJob,
} from '@muster/common-job-controller';
import {
  MANAGED_BY_TRAINING_OPERATOR,
  OPERATOR_NAMES,
  PADDLE_JOBS,
  paddleJobDefinition,
  type PaddleJob,
} from '@muster/job-api';
import { paddleEnv, leader } from './paddle-env.ts';
import { PADDLE_MAIN } from './paddle-main.ts';
import { readPaddleJob, type PaddleOptions } from './paddle-options.ts';
import { paddleOutcome } from './paddle-outcome.ts';
import { paddleWarnings } from './paddle-warnings.ts';
import { PADDLE_DIFFERENCES } from './paddle-documented.ts';

export function paddleAdapter(): FrameworkAdapter<PaddleJob, PaddleOptions> {
  return {
    resource: PADDLE_JOBS,
    definition: paddleJobDefinition,
    framework: 'paddle',
    documented: PADDLE_DIFFERENCES,
    installHint: 'npx muster crds paddle | kubectl apply -f -',
    labels: trainingOperatorLabels(OPERATOR_NAMES.PaddleJob, (job: TrainingJob<PaddleOptions>, { role, index }) => {
      const lead = leader(job);
      return role === lead?.role && index === lead.index;
    }),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    status: { hasSelectors: true },
    problems: (manifest) => problemsWithPorts(paddleJobDefinition, manifest, 'paddleReplicaSpecs', PADDLE_MAIN),
    warnings: paddleWarnings,
    read: readPaddleJob,
    pod: (job, replica) => ({ env: paddleEnv(job, replica) }),
    outcome: paddleOutcome,
    network: { addressed: leader },
    scheduling: {
      leastReplicas: (job, { name, replicas }) =>
        name === 'Worker' ? (elasticWorkers(job)?.least ?? replicas) : replicas,
    },
    elastic: {
      bounds: ({ options: { elasticPolicy } }) => boundsOf(elasticPolicy),
      workers: elasticWorkers,
      whyFixed,
    },
    autoscaling: { autoscaler: ({ options: { elasticPolicy } }) => autoscalingBy(elasticPolicy) },
  };
}

/** Without etcd the launcher cannot change the number of its nodes, and all pods of a job start together. */
function elasticWorkers({
  options: { elasticPolicy, usesEtcd },
  roles,
}: TrainingJob<PaddleOptions>): ElasticRole | undefined {
  const bounds = boundsOf(elasticPolicy);
  if (bounds === undefined) return undefined;
  const workers = roles.find(({ name }) => name === 'Worker')?.replicas ?? 0;
  return { role: 'Worker', bounds, least: usesEtcd ? bounds.min : workers, restartsWhenResized: !usesEtcd };
}

/** A job that becomes elastic when it is resized has no record of its former size. */
function whyFixed({ options: { elasticPolicy }, status }: TrainingJob<PaddleOptions>): string | undefined {
  if (elasticPolicy !== undefined && status.elastic !== undefined) return undefined;
  return (
    'PADDLE_NNODES in existing pods differs from that in new ones, because it is set at creation. Restore the number of replicas, or ' +
    'suspend the job, change it, and resume it. To resize jobs while they run, create them with spec.elasticPolicy'
  );
}
