/** MXJobs that admission refuses or accepts. */
import { mxJobDefinition } from '../src/mx-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const TRAIN = { jobMode: 'MXTrain' } as const;
const TUNE = { jobMode: 'MXTune' } as const;

const manifests = kindManifests({
  kind: 'MXJob',
  field: 'mxReplicaSpecs',
  container: 'mxnet',
  otherRole: 'Server',
  spec: TRAIN,
});
const { role, template, trainer, withRoles, workers } = manifests;

const NEEDS_SCHEDULER = 'Required value: MXTrain needs the role Scheduler, with at least one replica';
const NEEDS_WORKER = 'Required value: MXTrain needs the role Worker, with at least one replica';

/** One worker, which is a valid job, and other roles. */
const beside = (others: object) => withRoles({ Worker: role(), ...others });

const roles: RefusedManifest[] = [
  {
    what: 'an empty map of roles',
    manifest: withRoles({}),
    path: 'spec.mxReplicaSpecs[Worker]',
    message: NEEDS_WORKER,
  },
  {
    what: 'training without workers',
    manifest: withRoles({ Scheduler: role(), Server: role() }),
    path: 'spec.mxReplicaSpecs[Worker]',
    message: NEEDS_WORKER,
  },
  {
    what: 'training with no worker left',
    manifest: withRoles({ Scheduler: role(), Server: role(), Worker: role({ replicas: 0 }) }),
    path: 'spec.mxReplicaSpecs[Worker]',
    message: NEEDS_WORKER,
  },
  {
    what: 'training with several workers and no scheduler',
    manifest: workers(role({ replicas: 2 })),
    path: 'spec.mxReplicaSpecs[Scheduler]',
    message: NEEDS_SCHEDULER,
  },
  {
    what: 'training with a server and no scheduler',
    manifest: beside({ server: role() }),
    path: 'spec.mxReplicaSpecs[Scheduler]',
    message: NEEDS_SCHEDULER,
  },
  {
    what: 'training with a scheduler of no replicas',
    manifest: beside({ Scheduler: role({ replicas: 0 }), Server: role() }),
    path: 'spec.mxReplicaSpecs[Scheduler]',
    message: NEEDS_SCHEDULER,
  },
  {
    what: 'two schedulers',
    manifest: beside({ Scheduler: role({ replicas: 2 }) }),
    path: 'spec.mxReplicaSpecs[Scheduler].replicas',
    message: 'Forbidden: must be 1: an MXJob has one scheduler',
  },
  {
    what: 'two schedulers in lower case',
    manifest: beside({ scheduler: role({ replicas: 2 }) }),
    path: 'spec.mxReplicaSpecs',
    message: 'Forbidden: replicas of Scheduler must be 1: an MXJob has one scheduler',
  },
  {
    what: 'tuning without tracker',
    manifest: withRoles({ TunerServer: role(), Tuner: role() }, TUNE),
    path: 'spec.mxReplicaSpecs[TunerTracker]',
    message: 'Required value: MXTune needs the role TunerTracker, with at least one replica',
  },
  {
    what: 'tuning without tuner',
    manifest: withRoles({ TunerTracker: role(), TunerServer: role() }, TUNE),
    path: 'spec.mxReplicaSpecs[Tuner]',
    message: 'Required value: MXTune needs the role Tuner, with at least one replica',
  },
  {
    what: 'tuning with no tuner left',
    manifest: withRoles({ TunerTracker: role(), Tuner: role({ replicas: 0 }) }, TUNE),
    path: 'spec.mxReplicaSpecs[Tuner]',
    message: 'Required value: MXTune needs the role Tuner, with at least one replica',
  },
  {
    what: 'a role that does not exist',
    manifest: beside({ PS: role() }),
    path: 'spec.mxReplicaSpecs',
    message:
      'the only roles of an MXJob are Scheduler, Server, Worker, TunerTracker, TunerServer and Tuner, in upper or lower case',
  },
  {
    what: 'a role that is named twice in different case',
    manifest: beside({ WORKER: role() }),
    path: 'spec.mxReplicaSpecs',
    message: 'a role is named twice, in different case: keep one',
  },
  {
    what: 'a container with another name in a role in lower case',
    manifest: beside({ scheduler: { template: template(trainer({ name: 'main' })) } }),
    path: 'spec.mxReplicaSpecs[scheduler].template.spec.containers',
    message: 'Required value: a container named mxnet is needed',
  },
  {
    what: 'a negative number of servers',
    manifest: beside({ Scheduler: role(), Server: role({ replicas: -1 }) }),
    path: 'spec.mxReplicaSpecs[Server].replicas',
    message: 'Forbidden: must be at least 0',
  },
];

const modes: RefusedManifest[] = [
  {
    what: 'a job without jobMode',
    manifest: workers(role(), { jobMode: undefined }),
    path: 'spec.jobMode',
    message: 'Required value',
  },
  ...['', 'Train', 'mxtrain'].map((jobMode) => ({
    what: `jobMode "${jobMode}"`,
    manifest: workers(role(), { jobMode }),
    path: 'spec.jobMode',
    message: `Unsupported value: "${jobMode}": supported values: "MXTrain", "MXTune"`,
  })),
];

/** The longest name that leaves room for a scheduler's pod, and for those of exactly ten thousand servers. */
const LONGEST_WITH_SCHEDULER = 'n'.repeat(63 - '-scheduler-0'.length);

/** The longest name that leaves room for a tracker's pod. */
const LONGEST_WITH_TRACKER = 'n'.repeat(63 - '-tunertracker-0'.length);

const names: RefusedManifest[] = [
  {
    what: "a name one character too long for the scheduler's pod",
    manifest: withRoles({ Scheduler: role(), Worker: role() }, {}, `${LONGEST_WITH_SCHEDULER}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: 'a name too long for the last of ten thousand and one servers',
    manifest: withRoles(
      { Scheduler: role(), server: role({ replicas: 10_001 }), Worker: role() },
      {},
      LONGEST_WITH_SCHEDULER,
    ),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: "a name one character too long for the tracker's pod",
    manifest: withRoles({ TunerTracker: role(), Tuner: role() }, TUNE, `${LONGEST_WITH_TRACKER}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

const accepted: AcceptedManifest[] = [
  {
    what: 'training with a scheduler, servers and workers',
    manifest: withRoles({ Scheduler: role(), Server: role({ replicas: 2 }), Worker: role({ replicas: 4 }) }),
  },
  {
    what: 'training with a scheduler and workers, without servers',
    manifest: withRoles({ Scheduler: role(), Worker: role({ replicas: 2 }) }),
  },
  {
    what: 'a single worker with a server of no replicas',
    manifest: beside({ Server: role({ replicas: 0 }) }),
  },
  {
    what: 'roles in lower case',
    manifest: withRoles({ scheduler: role(), server: role(), worker: role({ replicas: 2 }) }),
  },
  { what: 'roles in capitals', manifest: withRoles({ SCHEDULER: role(), SERVER: role(), WORKER: role() }) },
  {
    what: 'tuning',
    manifest: withRoles({ TunerTracker: role(), TunerServer: role({ replicas: 2 }), Tuner: role() }, TUNE),
  },
  {
    what: 'tuning without servers, and with devices elsewhere',
    manifest: withRoles({ TunerTracker: role(), Tuner: role() }, TUNE),
  },
  {
    what: 'tuning with roles in lower case',
    manifest: withRoles({ tunertracker: role(), tunerserver: role(), tuner: role() }, TUNE),
  },
  {
    what: 'the longest name with a scheduler and ten thousand servers',
    manifest: withRoles(
      { Scheduler: role(), server: role({ replicas: 10_000 }), Worker: role() },
      {},
      LONGEST_WITH_SCHEDULER,
    ),
  },
  {
    what: 'the longest name with a tracker',
    manifest: withRoles({ TunerTracker: role(), Tuner: role() }, TUNE, LONGEST_WITH_TRACKER),
  },
];

export const MX_ADMISSION: AdmissionTable = {
  definition: mxJobDefinition,
  withUndescribedFields,
  leastSpec: { ...TRAIN, mxReplicaSpecs: { Worker: role() } },
  refused: [...roles, ...modes, ...names, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
