/** MPIJobs of v1 that admission refuses or accepts. */
import { mpiJobDefinition } from '../src/mpi-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({
  kind: 'MPIJob',
  field: 'mpiReplicaSpecs',
  otherRole: 'Launcher',
  others: ['Launcher'],
});
const { role, template, trainer, withRoles, workers } = manifests;

const SPECS = 'spec.mpiReplicaSpecs';
const MAIN = 'must be the name of a container of the role Worker';

const refused: RefusedManifest[] = [
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
    what: 'a launcher without workers',
    manifest: withRoles({ Launcher: role() }),
    path: `${SPECS}[Worker]`,
    message: 'Required value: name the role Worker: the launcher of a v1 MPIJob starts all processes in workers',
  },
  {
    what: 'no workers in a role that is named',
    manifest: workers(role({ replicas: 0 })),
    path: `${SPECS}[Worker].replicas`,
    message: 'Forbidden: must be at least 1; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  },
  {
    what: 'no workers in a role in lower case',
    manifest: withRoles({ launcher: role(), worker: role({ replicas: 0 }) }),
    path: `${SPECS}[worker].replicas`,
    message: 'Forbidden: must be at least 1',
  },
  {
    what: 'two launchers',
    manifest: withRoles({ Launcher: role({ replicas: 2 }), Worker: role() }),
    path: `${SPECS}[Launcher].replicas`,
    message: 'Forbidden: must be 1: an MPIJob has one launcher',
  },
  {
    what: 'a launcher of no replicas',
    manifest: withRoles({ Launcher: role({ replicas: 0 }), Worker: role() }),
    path: `${SPECS}[Launcher].replicas`,
    message: 'Forbidden: must be at least 1',
  },
  {
    what: 'a role of another kind',
    manifest: withRoles({ Launcher: role(), Worker: role(), PS: role() }),
    path: SPECS,
    message: 'the only roles of an MPIJob are Launcher and Worker, in upper or lower case',
  },
  {
    what: 'negative slots',
    manifest: workers(role(), { slotsPerWorker: -1 }),
    path: 'spec.slotsPerWorker',
    message: 'Invalid value: -1',
  },
  {
    what: 'an unknown cleanPodPolicy in its older place',
    manifest: workers(role(), { cleanPodPolicy: 'Always' }),
    path: 'spec.cleanPodPolicy',
    message: 'Unsupported value: "Always": supported values: "All", "Running", "None"',
  },
  {
    what: 'a main container that the workers lack',
    manifest: workers(role(), { mainContainer: 'other' }),
    path: 'spec.mainContainer',
    message: MAIN,
  },
  {
    what: 'a main container that only the launcher has',
    manifest: withRoles(
      { Launcher: role({ template: template(trainer({ name: 'other' })) }), worker: role() },
      { mainContainer: 'other' },
    ),
    path: 'spec.mainContainer',
    message: MAIN,
  },
  {
    what: 'a name too long for the last of eleven workers',
    manifest: workers(role({ replicas: 11 }), {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

/** Like the examples of the training operator. */
const forms: AcceptedManifest[] = [
  {
    what: 'the benchmarks of TensorFlow',
    manifest: withRoles(
      {
        Launcher: {
          replicas: 1,
          template: template(
            trainer({
              name: 'mpi-launcher',
              command: ['mpirun', '-np', '2', '--allow-run-as-root', '-bind-to', 'none', '-map-by', 'slot'],
              args: ['python', 'tf_cnn_benchmarks.py', '--model=resnet101', '--variable_update=horovod'],
            }),
          ),
        },
        Worker: {
          replicas: 2,
          template: template(trainer({ name: 'mpi-worker', resources: { limits: { 'nvidia.com/gpu': 1 } } })),
        },
      },
      { slotsPerWorker: 1, runPolicy: { cleanPodPolicy: 'Running' } },
      'tensorflow-benchmarks',
    ),
  },
  {
    what: 'elastic Horovod',
    manifest: withRoles(
      {
        Launcher: role({
          replicas: 1,
          template: template(
            trainer({ command: ['horovodrun', '-np', '2', '--host-discovery-script', '/etc/mpi/discover_hosts.sh'] }),
          ),
        }),
        Worker: role({ replicas: 2 }),
      },
      { slotsPerWorker: 1, cleanPodPolicy: 'Running' },
      'tensorflow-mnist-elastic',
    ),
  },
  {
    what: 'a main container beside a sidecar, by the name that only workers give it',
    manifest: withRoles(
      {
        Launcher: role({ template: template(trainer({ name: 'mpi-launcher' })) }),
        Worker: role({ template: template(trainer({ name: 'log' }), trainer({ name: 'mpi-worker' })) }),
      },
      { mainContainer: 'mpi-worker' },
    ),
  },
  {
    what: 'both places of cleanPodPolicy',
    manifest: workers(role(), { cleanPodPolicy: 'None', runPolicy: { cleanPodPolicy: 'All' } }),
  },
];

const accepted: AcceptedManifest[] = [
  ...forms,
  { what: 'roles in lower case', manifest: withRoles({ launcher: role(), worker: role({ replicas: 2 }) }) },
  ...['Always', 'OnFailure', 'Never', 'ExitCode'].map((restartPolicy) => ({
    what: `the restart policy ${restartPolicy}`,
    manifest: withRoles({ Launcher: role({ restartPolicy }), worker: role({ restartPolicy }) }),
  })),
  { what: 'an empty main container', manifest: workers(role(), { mainContainer: '', cleanPodPolicy: '' }) },
  { what: 'an empty field of v2beta1', manifest: workers(role(), { sshAuthMountPath: '' }) },
  { what: 'the longest name with ten workers', manifest: workers(role({ replicas: 10 }), {}, LONGEST_NAME) },
];

export const MPI_V1_ADMISSION: AdmissionTable = {
  definition: mpiJobDefinition,
  version: 'v1',
  withUndescribedFields,
  leastSpec: { mpiReplicaSpecs: { Launcher: role(), Worker: role() } },
  filledIn: { apiGeneration: 'v1' },
  refused: [...refused, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
