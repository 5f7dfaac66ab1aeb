/** MPIJobs of v2beta1 that admission refuses or accepts. */
import { mpiJobDefinition } from '../src/mpi-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({
  kind: 'MPIJob',
  field: 'mpiReplicaSpecs',
  apiVersion: 'kubeflow.org/v2beta1',
  otherRole: 'Launcher',
  others: ['Launcher'],
});
const { job, role, runPolicy, template, trainer, withRoles, workers } = manifests;

const SPECS = 'spec.mpiReplicaSpecs';
const ONE_LAUNCHER = 'Forbidden: must be 1: an MPIJob has one launcher';
const TWO_POLICIES = 'must be Never or OnFailure: a v2beta1 MPIJob supports no other';

const roles: RefusedManifest[] = [
  { what: 'no roles at all', manifest: job({}), path: SPECS, message: 'Required value: name the roles of the job' },
  {
    what: 'an empty map of roles',
    manifest: withRoles({}),
    path: `${SPECS}[Launcher]`,
    message: 'Required value: name the role Launcher',
  },
  {
    what: 'workers without launcher',
    manifest: withRoles({ Worker: role() }),
    path: `${SPECS}[Launcher]`,
    message: 'Required value: name the role Launcher',
  },
  {
    what: 'a role of another kind',
    manifest: withRoles({ Launcher: role(), Master: role() }),
    path: SPECS,
    message: 'the only roles of an MPIJob are Launcher and Worker, in upper or lower case',
  },
  {
    what: 'a role that is named twice in different case',
    manifest: withRoles({ Launcher: role(), Worker: role(), worker: role() }),
    path: SPECS,
    message: 'a role is named twice, in different case: keep one',
  },
  {
    what: 'two launchers',
    manifest: withRoles({ Launcher: role({ replicas: 2 }), Worker: role() }),
    path: `${SPECS}[Launcher].replicas`,
    message: ONE_LAUNCHER,
  },
  {
    what: 'two launchers in lower case',
    manifest: withRoles({ launcher: role({ replicas: 2 }), Worker: role() }),
    path: SPECS,
    message: 'Forbidden: replicas of Launcher must be 1: an MPIJob has one launcher',
  },
  {
    what: 'a launcher of no replicas',
    manifest: withRoles({ Launcher: role({ replicas: 0 }), Worker: role() }),
    path: `${SPECS}[Launcher].replicas`,
    message: 'Forbidden: must be at least 1',
  },
  {
    what: 'a negative number of launchers',
    manifest: withRoles({ Launcher: role({ replicas: -1 }), Worker: role() }),
    path: `${SPECS}[Launcher].replicas`,
    message: 'Forbidden: must be at least 1',
  },
  {
    what: 'no workers in a role that is named',
    manifest: workers(role({ replicas: 0 })),
    path: `${SPECS}[Worker].replicas`,
    message: 'Forbidden: must be at least 1; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  },
  ...['Always', 'ExitCode'].flatMap((restartPolicy) => [
    {
      what: `a launcher with the restart policy ${restartPolicy}`,
      manifest: withRoles({ Launcher: role({ restartPolicy }), Worker: role() }),
      path: `${SPECS}[Launcher].restartPolicy`,
      message: TWO_POLICIES,
    },
    {
      what: `workers with the restart policy ${restartPolicy}`,
      manifest: workers(role({ restartPolicy })),
      path: `${SPECS}[Worker].restartPolicy`,
      message: TWO_POLICIES,
    },
    {
      what: `workers in lower case with the restart policy ${restartPolicy}`,
      manifest: withRoles({ launcher: role(), worker: role({ restartPolicy }) }),
      path: SPECS,
      message: `restartPolicy ${TWO_POLICIES}`,
    },
  ]),
  {
    what: 'a launcher without containers',
    manifest: withRoles({ Launcher: { template: { spec: { containers: [] } } }, Worker: role() }),
    path: `${SPECS}[Launcher].template.spec.containers`,
    message: 'Required value: a container is needed: the first one does the work',
  },
  {
    what: 'a launcher without template',
    manifest: withRoles({ Launcher: {}, Worker: role() }),
    path: `${SPECS}[Launcher].template`,
    message: 'Required value',
  },
];

const scalars: RefusedManifest[] = [
  {
    what: 'negative slots',
    manifest: workers(role(), { slotsPerWorker: -1 }),
    path: 'spec.slotsPerWorker',
    message: 'Invalid value: -1',
  },
  {
    what: 'slots in quotes',
    manifest: workers(role(), { slotsPerWorker: '2' }),
    path: 'spec.slotsPerWorker',
    message: 'must be of type integer',
  },
  {
    what: 'an empty sshAuthMountPath',
    manifest: workers(role(), { sshAuthMountPath: '' }),
    path: 'spec.sshAuthMountPath',
    message: 'Required value: must not be empty: set the folder in which ssh looks for its keys',
  },
  {
    what: 'an unknown MPI implementation',
    manifest: workers(role(), { mpiImplementation: 'openmpi' }),
    path: 'spec.mpiImplementation',
    message: 'Unsupported value: "openmpi": supported values: "OpenMPI", "Intel", "MPICH"',
  },
  {
    what: 'an unknown launcherCreationPolicy',
    manifest: workers(role(), { launcherCreationPolicy: 'Later' }),
    path: 'spec.launcherCreationPolicy',
    message: 'Unsupported value: "Later": supported values: "AtStartup", "WaitForWorkersReady"',
  },
  {
    what: 'runLauncherAsWorker in quotes',
    manifest: workers(role(), { runLauncherAsWorker: 'true' }),
    path: 'spec.runLauncherAsWorker',
    message: 'must be of type boolean',
  },
  {
    what: 'an unknown API generation',
    manifest: workers(role(), { apiGeneration: 'v2' }),
    path: 'spec.apiGeneration',
    message: 'Unsupported value: "v2": supported values: "v2beta1", "v1", "v1alpha1"',
  },
];

const names: RefusedManifest[] = [
  {
    what: 'a name too long for the last of eleven workers',
    manifest: workers(role({ replicas: 11 }), {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: 'a name too long for the last of eleven workers in capitals',
    manifest: withRoles({ Launcher: role(), WORKER: role({ replicas: 11 }) }, {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: 'a name too long for a launcher without workers',
    manifest: withRoles({ Launcher: role() }, {}, `${LONGEST_NAME}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

/** Like the examples of the MPI operator. */
const forms: AcceptedManifest[] = [
  {
    what: 'the computation of pi without root',
    manifest: withRoles(
      {
        Launcher: {
          replicas: 1,
          template: template(
            trainer({
              name: 'mpi-launcher',
              securityContext: { runAsUser: 1000 },
              command: ['mpirun'],
              args: ['-n', '2', '/home/mpiuser/pi'],
              resources: { limits: { cpu: 1, memory: '1Gi' } },
            }),
          ),
        },
        Worker: {
          replicas: 2,
          template: template(
            trainer({
              name: 'mpi-worker',
              securityContext: { runAsUser: 1000 },
              command: ['/usr/sbin/sshd'],
              args: ['-De', '-f', '/home/mpiuser/.sshd_config'],
              resources: { limits: { cpu: 1, memory: '1Gi' } },
            }),
          ),
        },
      },
      {
        slotsPerWorker: 1,
        runPolicy: { cleanPodPolicy: 'Running', ttlSecondsAfterFinished: 60 },
        sshAuthMountPath: '/home/mpiuser/.ssh',
      },
      'pi',
    ),
  },
  ...['OpenMPI', 'Intel', 'MPICH'].map((mpiImplementation) => ({
    what: `a job over ${mpiImplementation}`,
    manifest: workers(role({ replicas: 2 }), { mpiImplementation, slotsPerWorker: 1 }),
  })),
  {
    what: 'a benchmark whose workers have GPUs',
    manifest: workers(
      role({ replicas: 2, template: template(trainer({ resources: { limits: { 'nvidia.com/gpu': 1 } } })) }),
      { slotsPerWorker: 1, runPolicy: { cleanPodPolicy: 'Running' } },
      'tensorflow-benchmarks',
    ),
  },
  {
    what: 'a launcher that computes and waits for its workers',
    manifest: workers(role({ replicas: 3 }), {
      runLauncherAsWorker: true,
      launcherCreationPolicy: 'WaitForWorkersReady',
    }),
  },
  {
    what: 'every field of the run policy that the MPI operator has',
    manifest: runPolicy({
      cleanPodPolicy: 'All',
      ttlSecondsAfterFinished: 0,
      activeDeadlineSeconds: 60,
      lostNodeTimeoutSeconds: 300,
      backoffLimit: 0,
      suspend: true,
      managedBy: 'kubeflow.org/mpi-operator',
      schedulingPolicy: { minAvailable: 3, queue: 'default', priorityClass: 'high', scheduleTimeoutSeconds: 30 },
    }),
  },
];

const accepted: AcceptedManifest[] = [
  ...forms,
  { what: 'a launcher alone', manifest: withRoles({ Launcher: role() }) },
  {
    what: 'a launcher alone in a job with the longest name',
    manifest: withRoles({ Launcher: role() }, {}, LONGEST_NAME),
  },
  {
    what: 'roles in lower case',
    manifest: withRoles({ launcher: role({ replicas: 1 }), worker: role({ replicas: 2 }) }),
  },
  {
    what: 'both restart policies',
    manifest: withRoles({
      Launcher: role({ restartPolicy: 'OnFailure' }),
      Worker: role({ replicas: 2, restartPolicy: 'Never' }),
    }),
  },
  { what: 'no slots', manifest: workers(role(), { slotsPerWorker: 0 }) },
  { what: 'an empty launcherCreationPolicy', manifest: workers(role(), { launcherCreationPolicy: '' }) },
  {
    what: 'a main container, which is a field of v1',
    manifest: workers(role(), { mainContainer: 'other' }),
  },
  { what: 'the longest name with ten workers', manifest: workers(role({ replicas: 10 }), {}, LONGEST_NAME) },
];

export const MPI_V2BETA1_ADMISSION: AdmissionTable = {
  definition: mpiJobDefinition,
  version: 'v2beta1',
  withUndescribedFields,
  leastSpec: { mpiReplicaSpecs: { Launcher: role() } },
  filledIn: { apiGeneration: 'v2beta1' },
  refused: [...roles, ...scalars, ...names, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
