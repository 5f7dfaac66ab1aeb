/**
 * The adapter of MPIJob. Rules follow kubeflow/mpi-operator (v1alpha1 and v2beta1) and kubeflow/training-operator,
 * pkg/controller.v1/mpi (v1); docs/administrators/differences.md lists intended differences.
 */
import {
  byOperatorName,
  type FrameworkAdapter,
  type Permission,
  type PodAdditions,
  type Replica,
  type TrainingJob,
} from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  MANAGED_BY_MPI_OPERATOR,
  MANAGED_BY_TRAINING_OPERATOR,
  MPI_JOBS,
  mpiGenerationOf,
  mpiJobDefinition,
  OPERATOR_NAMES,
  problemsOf,
  type MPIJob,
} from '@muster/job-api';
import { MPI_DIFFERENCES } from './mpi-documented.ts';
import { launcherEnv, workerEnv } from './pods/implementation-env.ts';
import { launcherPodSpec } from './pods/launcher-pod.ts';
import { hostsDigest, MPI_OWNED_KINDS, mpiOwnedResources, sshSecret } from './mpi-owned-resources.ts';
import { podLabels, replicaOf } from './generations/mpi-labels.ts';
import { DEFAULT_MPI_SETTINGS, type MPIOptions, type MPISettings } from './generations/mpi-options.ts';
import { outcome } from './mpi-outcome.ts';
import { allocationProblems, readJob, runPolicy } from './generations/mpi-read.ts';
import { withV1alpha1Status } from './generations/mpi-status.ts';
import { workerPodSpec } from './pods/worker-pod.ts';

/** The operator needs every right that it grants to launchers. */
const PERMISSIONS: readonly Permission[] = [
  { group: '', resource: 'pods/exec', verbs: ['create'] },
  { group: '', resource: 'secrets', verbs: ['create', 'get', 'update'] },
  { group: 'batch', resource: 'jobs/status', verbs: ['patch'] },
];

export function mpiAdapter(overrides: Partial<MPISettings> = {}): FrameworkAdapter<MPIJob, MPIOptions> {
  const settings = { ...DEFAULT_MPI_SETTINGS, ...overrides };
  return {
    resource: MPI_JOBS,
    definition: mpiJobDefinition,
    ownerVersion: mpiGenerationOf,
    framework: 'mpi',
    documented: MPI_DIFFERENCES,
    madeWith: recordedSettings(settings),
    installHint: 'npx muster crds mpi | kubectl apply -f -',
    labels: { ...byOperatorName([OPERATOR_NAMES.MPIJob, OPERATOR_NAMES.MPIJobV1]), ofPod: podLabels, replicaOf },
    lifecycle: { managers: [MANAGED_BY_MPI_OPERATOR, MANAGED_BY_TRAINING_OPERATOR], runPolicy },
    status: { hasSelectors: true, encode: withV1alpha1Status },
    problems(manifest) {
      const problems = problemsOf(mpiJobDefinition, manifest);
      return problems.length > 0 ? problems : allocationProblems(manifest, settings);
    },
    read: (manifest) => readJob(manifest, settings),
    podAnnotations: { [ANNOTATIONS.hosts]: { value: hostsDigest } },
    pod: (job, replica) => additions(job, replica, settings),
    outcome,
    scheduling: {
      mayStart: ({ options }, role, tallies) =>
        role.name !== 'Launcher' ||
        !options.waitsForWorkers ||
        tallies.every((tally) => tally.role === role || tally.ready === tally.role.replicas),
      waitsFor: ({ options: { workers } }, _role, tallies) => {
        const ready = tallies.reduce((sum, tally) => sum + (tally.role.name === 'Worker' ? tally.ready : 0), 0);
        return `all ${workers} of Worker are ready (now ${ready})`;
      },
      leastReplicas: ({ options }, { name, replicas }) =>
        name === 'Launcher' && options.waitsForWorkers && options.workers > 0 ? 0 : replicas,
    },
    workloads: { kinds: ['Job', 'StatefulSet'] },
    ownedResources: {
      kinds: MPI_OWNED_KINDS,
      desired: mpiOwnedResources,
      ensured: sshSecret,
      permissions: PERMISSIONS,
      inService: (options, serviceName) => ({ ...options, serviceName }),
    },
  };
}

/** The caller may pass more than the adapter's own settings. */
function recordedSettings(settings: MPISettings): Readonly<Record<string, unknown>> {
  const names = Object.keys(DEFAULT_MPI_SETTINGS) as (keyof MPISettings)[];
  return Object.fromEntries(names.map((name) => [name, settings[name]]));
}

function additions(
  { options }: TrainingJob<MPIOptions>,
  { role, index }: Replica,
  { deliveryImage }: MPISettings,
): PodAdditions {
  const { containerName: main, template } = role;
  const { limits, isLauncherOnMaster: onMaster } = options;
  if (role.name === 'Worker') {
    return {
      mainEnv: workerEnv(options),
      shape: (spec) => workerPodSpec(spec, options, { index, main, limits }),
    };
  }
  const users = template.spec?.containers.find(({ name }) => name === main)?.env ?? [];
  return {
    mainEnv: launcherEnv(options, users),
    shape: (spec) => launcherPodSpec(spec, options, { main, deliveryImage, onMaster, limits }),
  };
}
