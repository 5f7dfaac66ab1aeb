/** Reads the three generations of MPIJob into the same roles and options. */
import { sizeOf, type ReplicaRole, type TrainingJob, type WorkloadResource } from '@muster/common-job-controller';
import {
  ANNOTATIONS,
  mpiGenerationOf as generationOf,
  roleIn,
  type MPIJob,
  type PodTemplateSpec,
  type ReplicaSpecs,
  type RestartPolicy,
  type RunPolicy,
} from '@muster/job-api';
import { templatesAccount } from '../access/access.ts';
import { allocate, type Allocation } from './allocation.ts';
import { isGpuLauncher } from '../pods/gpu-launcher.ts';
import type { MPIOptions, MPISettings } from './mpi-options.ts';

type ReadJob = Pick<TrainingJob<MPIOptions>, 'roles' | 'options'>;

const DEFAULT_SSH_MOUNT = '/root/.ssh';

export function readJob(manifest: MPIJob, settings: MPISettings): ReadJob {
  switch (generationOf(manifest)) {
    case 'v2beta1':
      return readV2beta1(manifest, settings);
    case 'v1':
      return readV1(manifest, settings);
    case 'v1alpha1':
      return readV1alpha1(manifest, settings);
  }
}

function readV2beta1(manifest: MPIJob, settings: MPISettings): ReadJob {
  const { spec } = manifest;
  const name = manifest.metadata?.name ?? '';
  const { launcher, workers } = rolesOf(spec.mpiReplicaSpecs ?? {}, 'OnFailure');
  const { activeDeadlineSeconds, backoffLimit } = runPolicy(manifest);
  return {
    roles: [
      {
        ...launcher,
        // Without the time to live: a Job that is deleted before its end is recorded would be run again. It is deleted
        // with the MPIJob, after the MPIJob's own time to live.
        identity: jobOf(name, {
          ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
          ...(backoffLimit !== undefined && { backoffLimit }),
          // Two launchers at once would both start processes in the workers.
          podReplacementPolicy: 'Failed',
        }),
      },
      ...workers,
    ],
    options: {
      ...commonOptions(manifest, settings, launcher),
      transport: 'ssh',
      implementation: spec.mpiImplementation ?? 'OpenMPI',
      slots: spec.slotsPerWorker ?? 1,
      workers: countOf(workers),
      launcherComputes: spec.runLauncherAsWorker ?? false,
      sshAuthMountPath: spec.sshAuthMountPath ?? DEFAULT_SSH_MOUNT,
      waitsForWorkers: spec.launcherCreationPolicy === 'WaitForWorkersReady',
    },
  };
}

function readV1(manifest: MPIJob, settings: MPISettings): ReadJob {
  const { spec } = manifest;
  const { launcher, workers } = rolesOf(spec.mpiReplicaSpecs ?? {}, 'Never');
  const { mainContainer } = spec;
  const isNamed = mainContainer !== undefined && mainContainer !== '';
  return {
    roles: [launcher, ...workers.map((role) => (isNamed ? { ...role, containerName: mainContainer } : role))],
    options: {
      ...commonOptions(manifest, settings, launcher),
      slots: spec.slotsPerWorker ?? 1,
      workers: countOf(workers),
      launcherComputes: isGpuLauncher(launcher.template.spec ?? { containers: [] }),
      mainContainer: isNamed ? mainContainer : undefined,
    },
  };
}

function readV1alpha1(manifest: MPIJob, settings: MPISettings): ReadJob {
  const { spec } = manifest;
  const name = manifest.metadata?.name ?? '';
  const { workers, slots, limits: resources } = allocationOf(spec, settings);
  const template = spec.template ?? {};
  const launcher = roleOf('Launcher', 1, template, 'OnFailure');
  const worker = { ...roleOf('Worker', workers, template, 'Always'), identity: statefulSetOf(name) };
  return {
    roles: [{ ...launcher, identity: jobOf(name, limitsOf(spec)) }, ...(workers === 0 ? [] : [worker])],
    options: {
      ...commonOptions(manifest, settings, launcher),
      slots,
      workers,
      launcherComputes: settings.launcherComputes,
      limits: resources,
      isLauncherOnMaster: spec.launcherOnMaster ?? false,
    },
  };
}

/** The generations have different fields for this. With another operator's CRD all of them may be missing. */
export function runPolicy(manifest: MPIJob): Partial<RunPolicy> {
  const { spec } = manifest;
  const own: Partial<RunPolicy> = spec.runPolicy ?? {};
  switch (generationOf(manifest)) {
    case 'v1': {
      // The older field applies if the newer is empty.
      const cleanPodPolicy = own.cleanPodPolicy ?? spec.cleanPodPolicy;
      return { ...own, ...(cleanPodPolicy !== undefined && { cleanPodPolicy }) };
    }
    case 'v1alpha1':
      return { ...own, ...limitsOf(spec) };
    default:
      return own;
  }
}

function limitsOf(spec: MPIJob['spec']): Pick<RunPolicy, 'backoffLimit' | 'activeDeadlineSeconds'> {
  const { backoffLimit, activeDeadlineSeconds } = { ...spec, ...spec.runPolicy };
  return {
    ...(backoffLimit !== undefined && { backoffLimit }),
    ...(activeDeadlineSeconds !== undefined && { activeDeadlineSeconds }),
  };
}

/** Problems of the distribution of a v1alpha1 job over pods, which depends on the operator's settings. */
export function allocationProblems(manifest: MPIJob, settings: MPISettings) {
  const { spec } = manifest;
  if (generationOf(manifest) !== 'v1alpha1') return [];
  const result = allocate({ ...spec, template: spec.template ?? {} }, settings);
  return 'problem' in result ? [result.problem] : [];
}

function allocationOf(spec: MPIJob['spec'], settings: MPISettings): Allocation {
  const result = allocate({ ...spec, template: spec.template ?? {} }, settings);
  // `problems` reports it. A running job keeps its workers.
  return 'problem' in result ? { workers: NaN, units: 0, slots: 1, limits: {} } : result;
}

/** The defaults, for `kubectl exec`, and values that only one generation can set. */
function commonOptions(manifest: MPIJob, { clusterDomain }: MPISettings, launcher: ReplicaRole): MPIOptions {
  const { name = '', namespace = 'default', annotations } = manifest.metadata ?? {};
  return {
    name,
    namespace,
    // The adapter changes it if the name is taken, or could be a pod's of another job.
    serviceName: name,
    generation: generationOf(manifest),
    transport: 'exec',
    implementation: 'OpenMPI',
    slots: 1,
    workers: 0,
    launcherComputes: false,
    sshAuthMountPath: DEFAULT_SSH_MOUNT,
    mainContainer: undefined,
    clusterDomain,
    waitsForWorkers: true,
    discoversSlots: annotations?.[ANNOTATIONS.discoverSlots] === 'true',
    limits: {},
    isLauncherOnMaster: false,
    launcherAccount: templatesAccount(launcher.template.spec ?? { containers: [] }),
  };
}

function rolesOf(
  specs: ReplicaSpecs,
  launcherPolicy: RestartPolicy,
): { launcher: ReplicaRole; workers: ReplicaRole[] } {
  const read = (name: string, defaultPolicy: RestartPolicy): ReplicaRole | undefined => {
    const spec = roleIn(specs, name)?.spec;
    if (spec === undefined) return undefined;
    return roleOf(name, sizeOf(spec.replicas ?? 1), spec.template, spec.restartPolicy || defaultPolicy);
  };
  const worker = read('Worker', 'Never');
  const launcher = read('Launcher', launcherPolicy) ?? roleOf('Launcher', 1, {}, launcherPolicy);
  return {
    launcher: { ...launcher, replicas: 1, identity: { kind: 'Unnumbered' } },
    workers: worker === undefined ? [] : [worker],
  };
}

/** Workers never end by themselves: they wait for the launcher. */
function roleOf(name: string, replicas: number, template: PodTemplateSpec, restartPolicy: RestartPolicy): ReplicaRole {
  const containerName = template.spec?.containers[0]?.name ?? '';
  return { name, replicas, template, restartPolicy, endsByItself: name === 'Launcher', containerName };
}

function countOf(roles: readonly ReplicaRole[]): number {
  return roles.reduce((sum, { replicas }) => sum + replicas, 0);
}

function jobOf(name: string, spec: object): WorkloadResource {
  return { kind: 'Job', labels: { app: name }, spec };
}

function statefulSetOf(name: string): WorkloadResource {
  const own = `${name}-worker`;
  return {
    kind: 'StatefulSet',
    labels: { app: name },
    spec: { podManagementPolicy: 'Parallel', selector: { matchLabels: { app: own } }, serviceName: own },
  };
}
