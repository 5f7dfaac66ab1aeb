/** TFJobs that admission refuses or accepts. */
import { tfJobDefinition } from '../src/tf-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({ kind: 'TFJob', field: 'tfReplicaSpecs', container: 'tensorflow', otherRole: 'PS' });
const { role, template, trainer, withRoles, workers } = manifests;

const NO_DECIDING_ROLE = 'Required value: name the role Worker or Chief, with at least one replica';
const ONE_NAME = 'Forbidden: Chief and Master are two names of one role: keep one';

const roles: RefusedManifest[] = [
  {
    what: 'an empty map of roles',
    manifest: withRoles({}),
    path: 'spec.tfReplicaSpecs',
    message: NO_DECIDING_ROLE,
  },
  ...[{ PS: role() }, { Evaluator: role() }, { PS: role(), evaluator: role() }].map((without) => ({
    what: `a job of ${Object.keys(without).join(' and ')} only`,
    manifest: withRoles(without),
    path: 'spec.tfReplicaSpecs',
    message: NO_DECIDING_ROLE,
  })),
  {
    what: 'a job with no replicas of chief and workers',
    manifest: withRoles({ Chief: role({ replicas: 0 }), Worker: role({ replicas: 0 }), PS: role() }),
    path: 'spec.tfReplicaSpecs',
    message: NO_DECIDING_ROLE,
  },
  {
    what: 'a role that does not exist',
    manifest: withRoles({ Worker: role(), Foo: role() }),
    path: 'spec.tfReplicaSpecs',
    message: 'the only roles of a TFJob are Chief, Evaluator, Master, PS and Worker, in upper or lower case',
  },
  {
    what: 'a role of another kind',
    manifest: withRoles({ Worker: role(), Scheduler: role() }),
    path: 'spec.tfReplicaSpecs',
    message: 'the only roles of a TFJob are Chief, Evaluator, Master, PS and Worker, in upper or lower case',
  },
  {
    what: 'a role that is named twice in different case',
    manifest: withRoles({ Worker: role(), worker: role() }),
    path: 'spec.tfReplicaSpecs',
    message: 'a role is named twice, in different case: keep one',
  },
  {
    what: 'two chiefs',
    manifest: withRoles({ Chief: role({ replicas: 2 }), Worker: role() }),
    path: 'spec.tfReplicaSpecs[Chief].replicas',
    message: 'Forbidden: must be 1: a TFJob has one chief',
  },
  {
    what: 'two masters',
    manifest: withRoles({ Master: role({ replicas: 2 }) }),
    path: 'spec.tfReplicaSpecs[Master].replicas',
    message: 'Forbidden: must be 1: a TFJob has one master',
  },
  {
    what: 'two chiefs in lower case',
    manifest: withRoles({ chief: role({ replicas: 2 }) }),
    path: 'spec.tfReplicaSpecs',
    message: 'Forbidden: replicas of Chief must be 1: a TFJob has one chief',
  },
  {
    what: 'two masters in capitals',
    manifest: withRoles({ MASTER: role({ replicas: 2 }) }),
    path: 'spec.tfReplicaSpecs',
    message: 'Forbidden: replicas of Master must be 1: a TFJob has one master',
  },
  {
    what: 'Chief and Master together',
    manifest: withRoles({ Chief: role(), Master: role(), Worker: role() }),
    path: 'spec.tfReplicaSpecs',
    message: ONE_NAME,
  },
  {
    what: 'Chief and Master together in any case',
    manifest: withRoles({ chief: role(), MASTER: role() }),
    path: 'spec.tfReplicaSpecs',
    message: ONE_NAME,
  },
  {
    what: 'Chief and Master together, though one of them has no replicas',
    manifest: withRoles({ Chief: role(), Master: role({ replicas: 0 }) }),
    path: 'spec.tfReplicaSpecs',
    message: ONE_NAME,
  },
  {
    what: 'a container with another name in a role in lower case',
    manifest: withRoles({ Worker: role(), ps: { template: template(trainer({ name: 'main' })) } }),
    path: 'spec.tfReplicaSpecs[ps].template.spec.containers',
    message: 'Required value: a container named tensorflow is needed',
  },
  {
    what: 'a negative number of evaluators',
    manifest: withRoles({ Worker: role(), Evaluator: role({ replicas: -1 }) }),
    path: 'spec.tfReplicaSpecs[Evaluator].replicas',
    message: 'Forbidden: must be at least 0; to stop a job without deleting it, set spec.runPolicy.suspend to true',
  },
];

const scalars: RefusedManifest[] = [
  {
    what: 'an unknown successPolicy',
    manifest: workers(role(), { successPolicy: 'AnyWorker' }),
    path: 'spec.successPolicy',
    message: 'Unsupported value: "AnyWorker": supported values: "AllWorkers"',
  },
  {
    what: 'enableDynamicWorker in quotes',
    manifest: workers(role(), { enableDynamicWorker: 'true' }),
    path: 'spec.enableDynamicWorker',
    message: 'must be of type boolean',
  },
];

/** The longest name that leaves room for an evaluator's pod. */
const LONGEST_WITH_EVALUATOR = 'n'.repeat(63 - '-evaluator-0'.length);

const names: RefusedManifest[] = [
  {
    what: "a name one character too long for the evaluator's pod",
    manifest: withRoles({ Worker: role(), Evaluator: role() }, {}, `${LONGEST_WITH_EVALUATOR}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: "a name one character too long for the evaluator's pod, whose role is in capitals",
    manifest: withRoles({ Worker: role(), EVALUATOR: role() }, {}, `${LONGEST_WITH_EVALUATOR}n`),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
  {
    what: 'a name too long for the last of eleven workers',
    manifest: workers(role({ replicas: 11 }), {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

const accepted: AcceptedManifest[] = [
  {
    what: 'every role',
    manifest: withRoles({ Chief: role(), PS: role({ replicas: 2 }), Worker: role({ replicas: 4 }), Evaluator: role() }),
  },
  { what: 'a chief alone', manifest: withRoles({ Chief: role({ replicas: 1 }) }) },
  {
    what: 'a Master instead of a Chief',
    manifest: withRoles({ Master: role(), PS: role(), Worker: role({ replicas: 2 }) }),
  },
  {
    what: 'roles in lower case',
    manifest: withRoles({ chief: role(), ps: role(), worker: role(), evaluator: role() }),
  },
  { what: 'roles in capitals', manifest: withRoles({ MASTER: role(), Ps: role(), WORKER: role({ replicas: 2 }) }) },
  { what: 'workers without parameter servers', manifest: workers(role({ replicas: 2 })) },
  {
    what: 'roles without replicas beside one with some',
    manifest: withRoles({
      Chief: role({ replicas: 0 }),
      PS: role({ replicas: 0 }),
      Evaluator: role({ replicas: 0 }),
      Worker: role({ replicas: 2 }),
    }),
  },
  { what: 'several evaluators', manifest: withRoles({ Chief: role(), Evaluator: role({ replicas: 2 }) }) },
  ...['', 'AllWorkers'].map((successPolicy) => ({
    what: `successPolicy "${successPolicy}"`,
    manifest: workers(role(), { successPolicy }),
  })),
  ...[true, false].map((enableDynamicWorker) => ({
    what: `enableDynamicWorker ${enableDynamicWorker}`,
    manifest: workers(role({ replicas: 2 }), { enableDynamicWorker }),
  })),
  {
    what: 'fields of its own without a value',
    manifest: workers(role(), { successPolicy: null, enableDynamicWorker: null }),
  },
  {
    what: 'the longest name with an evaluator',
    manifest: withRoles({ Worker: role(), Evaluator: role({ replicas: 10 }) }, {}, LONGEST_WITH_EVALUATOR),
  },
  {
    what: 'the longest name with ten workers',
    manifest: workers(role({ replicas: 10 }), {}, LONGEST_NAME),
  },
  {
    what: 'a name that leaves no room for a role without replicas',
    manifest: withRoles({ Worker: role(), Evaluator: role({ replicas: 0 }) }, {}, LONGEST_NAME),
  },
];

export const TF_ADMISSION: AdmissionTable = {
  definition: tfJobDefinition,
  withUndescribedFields,
  leastSpec: { tfReplicaSpecs: { Worker: role() } },
  refused: [...roles, ...scalars, ...names, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
