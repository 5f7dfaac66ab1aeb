/** PaddleJobs that admission refuses or accepts. */
import { paddleJobDefinition } from '../src/paddle-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({
  kind: 'PaddleJob',
  field: 'paddleReplicaSpecs',
  container: 'paddle',
  otherRole: 'Master',
});
const { role, template, trainer, withRoles, workers } = manifests;

const beside = (others: object) => withRoles({ Master: role(), Worker: role(), ...others });

const NEEDED = { path: 'spec.paddleReplicaSpecs', message: 'Required value: name the role Worker or Master' };

const roles: RefusedManifest[] = [
  { what: 'an empty map of roles', manifest: withRoles({}), ...NEEDED },
  { what: 'no replicas', manifest: withRoles({ Worker: role({ replicas: 0 }) }), ...NEEDED },
  {
    what: 'two masters',
    manifest: withRoles({ Master: role({ replicas: 2 }) }),
    path: 'spec.paddleReplicaSpecs[Master].replicas',
    message: 'Forbidden: must be 1: a PaddleJob has one master',
  },
  {
    what: 'two masters in lower case',
    manifest: withRoles({ master: role({ replicas: 2 }) }),
    path: 'spec.paddleReplicaSpecs',
    message: 'Forbidden: replicas of Master must be 1: a PaddleJob has one master',
  },
  {
    what: 'a role that does not exist',
    manifest: beside({ PS: role() }),
    path: 'spec.paddleReplicaSpecs',
    message: 'the only roles of a PaddleJob are Master and Worker, in upper or lower case',
  },
  {
    what: 'a role that is named twice in different case',
    manifest: beside({ worker: role() }),
    path: 'spec.paddleReplicaSpecs',
    message: 'a role is named twice, in different case: keep one',
  },
  {
    what: 'a container with another name in a role in capitals',
    manifest: withRoles({ MASTER: { template: template(trainer({ name: 'main' })) } }),
    path: 'spec.paddleReplicaSpecs[MASTER].template.spec.containers',
    message: 'Required value: a container named paddle is needed',
  },
  {
    what: 'a name too long for the last of eleven workers',
    manifest: workers(role({ replicas: 11 }), {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

const elastic = (elasticPolicy: object, rest: object = {}, name?: string) =>
  workers(role({ replicas: 2, ...rest }), { elasticPolicy }, name);

const elasticity: RefusedManifest[] = [
  {
    what: 'an elastic job without workers',
    manifest: withRoles({ Master: role() }, { elasticPolicy: {} }),
    path: 'spec.paddleReplicaSpecs[Worker]',
    message: 'Required value: an elastic job needs the role Worker',
  },
  {
    what: 'minReplicas above maxReplicas',
    manifest: elastic({ minReplicas: 4, maxReplicas: 2 }),
    path: 'spec.elasticPolicy.minReplicas',
    message: 'must not be greater than maxReplicas',
  },
  ...['minReplicas', 'maxReplicas'].map((field) => ({
    what: `${field} of 0`,
    manifest: elastic({ [field]: 0 }),
    path: `spec.elasticPolicy.${field}`,
    message: 'Invalid value: 0',
  })),
  {
    what: 'a negative maxRestarts',
    manifest: elastic({ maxRestarts: -1 }),
    path: 'spec.elasticPolicy.maxRestarts',
    message: 'Invalid value: -1',
  },
  ...[{ minReplicas: 2, maxReplicas: 11 }, { maxReplicas: 11 }, { minReplicas: 11 }].map((bounds) => ({
    what: `a name too long for the last of the workers that ${JSON.stringify(bounds)} allows`,
    manifest: elastic(bounds, {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  })),
];

const accepted: AcceptedManifest[] = [
  { what: 'an elastic policy without bounds', manifest: elastic({}) },
  {
    what: 'an elastic policy with all fields',
    manifest: elastic({
      ...{ minReplicas: 1, maxReplicas: 4, maxRestarts: 3 },
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    }),
  },
  {
    what: 'an elastic job with a master, in lower case',
    manifest: withRoles({ master: role(), worker: role() }, { elasticPolicy: { maxReplicas: 4 } }),
  },
  { what: 'the longest name with up to ten workers', manifest: elastic({ maxReplicas: 10 }, {}, LONGEST_NAME) },

  { what: 'a single pod', manifest: withRoles({ Master: role() }) },
  { what: 'workers alone', manifest: withRoles({ Worker: role({ replicas: 2 }) }) },
  { what: 'several workers', manifest: workers(role({ replicas: 4 })) },
  { what: 'roles in lower case', manifest: withRoles({ master: role(), worker: role({ replicas: 2 }) }) },
  { what: 'roles in capitals', manifest: withRoles({ MASTER: role(), WORKER: role({ replicas: 2 }) }) },
  { what: 'the longest name with ten workers', manifest: workers(role({ replicas: 10 }), {}, LONGEST_NAME) },
];

export const PADDLE_ADMISSION: AdmissionTable = {
  definition: paddleJobDefinition,
  withUndescribedFields,
  leastSpec: { paddleReplicaSpecs: { Master: role() } },
  refused: [...roles, ...elasticity, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
