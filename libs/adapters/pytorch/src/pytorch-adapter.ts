/**
 * The adapter of PyTorchJob. Rules follow kubeflow/training-operator, pkg/controller.v1/pytorch; docs/administrators/differences.md
 * lists intended differences.
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
  PYTORCH_JOBS,
  pytorchJobDefinition,
  replicaName,
  type PyTorchJob,
} from '@muster/job-api';
import {
  DEFAULT_INIT_CONTAINER,
  initContainers,
  recordedSettings,
  type InitContainerSettings,
} from './init-container.ts';
import { isIndispensable, leader, pytorchEnv } from './pytorch-env.ts';
import { PYTORCH_MAIN } from './pytorch-main.ts';
import { pytorchOutcome } from './pytorch-outcome.ts';
import { pytorchWarnings } from './pytorch-warnings.ts';
import { readPyTorchJob, type PyTorchOptions } from './pytorch-options.ts';
import { PYTORCH_DIFFERENCES } from './pytorch-documented.ts';

export function pytorchAdapter(
  initContainer: InitContainerSettings = DEFAULT_INIT_CONTAINER,
): FrameworkAdapter<PyTorchJob, PyTorchOptions> {
  return {
    resource: PYTORCH_JOBS,
    definition: pytorchJobDefinition,
    framework: 'pytorch',
    documented: PYTORCH_DIFFERENCES,
    madeWith: recordedSettings(initContainer),
    installHint: 'npx muster crds pytorch-elastic | kubectl apply -f -',
    labels: trainingOperatorLabels(OPERATOR_NAMES.PyTorchJob, (job: TrainingJob<PyTorchOptions>, { role, index }) =>
      job.options.hasMaster ? role.name === 'Master' : index === 0,
    ),
    lifecycle: { managers: [MANAGED_BY_TRAINING_OPERATOR] },
    status: { hasSelectors: true },
    problems: (manifest) => problemsWithPorts(pytorchJobDefinition, manifest, 'pytorchReplicaSpecs', PYTORCH_MAIN),
    warnings: pytorchWarnings,
    read: readPyTorchJob,
    network: { addressed: leader },
    pod(job, replica) {
      const waits = job.options.hasMaster && replica.role.name === 'Worker';
      const master = replicaName(job.metadata.name, 'Master', 0);
      return {
        env: pytorchEnv(job, replica),
        initContainers: waits ? initContainers(initContainer, master, replica.role) : [],
      };
    },
    outcome: pytorchOutcome,
    scheduling: {
      isIndispensable,
      leastReplicas({ options: { elasticPolicy } }, { name, replicas }) {
        return name === 'Worker' ? (elasticPolicy?.minReplicas ?? replicas) : replicas;
      },
    },
    elastic: {
      bounds: ({ options: { elasticPolicy } }) => boundsOf(elasticPolicy),
      workers: ({ options }) => elasticWorkers(options),
      whyFixed: ({ options: { elasticPolicy } }) =>
        elasticPolicy === undefined
          ? 'WORLD_SIZE in existing pods differs from that in new ones, because it is set at creation: torch waits for missing workers, or ' +
            'refuses additional ones. Restore the number of replicas, or create a job with spec.elasticPolicy'
          : undefined,
    },
    autoscaling: { autoscaler: ({ options: { elasticPolicy } }) => autoscalingBy(elasticPolicy) },
  };
}

const DEFAULT_UNSCHEDULABLE_SECONDS = 60;
const DEFAULT_RETRY_SECONDS = 300;

/** torchrun counts nodes, including the master's. */
function elasticWorkers({ elasticPolicy, hasMaster }: PyTorchOptions): ElasticRole | undefined {
  if (elasticPolicy === undefined) return undefined;
  const { minReplicas: min, maxReplicas: max, fitToCapacity: fit } = elasticPolicy;
  return {
    role: 'Worker',
    bounds: { min, max },
    least: Math.max(1, min - (hasMaster ? 1 : 0)),
    ...(fit && {
      fit: {
        unschedulableMs: (fit.unschedulableSeconds ?? DEFAULT_UNSCHEDULABLE_SECONDS) * 1000,
        retryMs: (fit.retrySeconds ?? DEFAULT_RETRY_SECONDS) * 1000,
      },
    }),
  };
}
