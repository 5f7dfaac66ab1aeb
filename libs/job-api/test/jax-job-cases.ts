/** JAXJobs that admission refuses or accepts. */
import { jaxJobDefinition } from '../src/jax-job.ts';
import type { AcceptedManifest, AdmissionTable, RefusedManifest } from './admission-table.ts';
import { kindManifests } from './kind-manifests.ts';
import { acceptedOfEveryKind, LONGEST_NAME, refusedOfEveryKind } from './cases-of-every-kind.ts';
import { withUndescribedFields } from './undescribed-fields.ts';

const manifests = kindManifests({
  kind: 'JAXJob',
  field: 'jaxReplicaSpecs',
  container: 'jax',
});
const { role, template, trainer, withRoles, workers } = manifests;

const beside = (others: object) => withRoles({ Worker: role(), ...others });

const NEEDED = { path: 'spec.jaxReplicaSpecs[Worker]', message: 'Required value: the role Worker is needed' };

const roles: RefusedManifest[] = [
  { what: 'an empty map of roles', manifest: withRoles({}), ...NEEDED },
  { what: 'no replicas', manifest: withRoles({ Worker: role({ replicas: 0 }) }), ...NEEDED },
  {
    what: 'a role that does not exist',
    manifest: beside({ PS: role() }),
    path: 'spec.jaxReplicaSpecs',
    message: 'the only role of a JAXJob is Worker, in upper or lower case',
  },
  {
    what: 'a role that is named twice in different case',
    manifest: beside({ worker: role() }),
    path: 'spec.jaxReplicaSpecs',
    message: 'a role is named twice, in different case: keep one',
  },
  {
    what: 'a container with another name in a role in capitals',
    manifest: withRoles({ WORKER: { template: template(trainer({ name: 'main' })) } }),
    path: 'spec.jaxReplicaSpecs[WORKER].template.spec.containers',
    message: 'Required value: a container named jax is needed',
  },
  {
    what: 'a name too long for the last of eleven workers',
    manifest: workers(role({ replicas: 11 }), {}, LONGEST_NAME),
    path: 'metadata.name',
    message: 'shorten metadata.name',
  },
];

const accepted: AcceptedManifest[] = [
  { what: 'a single pod', manifest: withRoles({ Worker: role() }) },
  { what: 'several workers', manifest: workers(role({ replicas: 4 })) },
  { what: 'roles in lower case', manifest: withRoles({ worker: role({ replicas: 2 }) }) },
  { what: 'roles in capitals', manifest: withRoles({ WORKER: role({ replicas: 2 }) }) },
  { what: 'the longest name with ten workers', manifest: workers(role({ replicas: 10 }), {}, LONGEST_NAME) },
];

export const JAX_ADMISSION: AdmissionTable = {
  definition: jaxJobDefinition,
  withUndescribedFields,
  leastSpec: { jaxReplicaSpecs: { Worker: role() } },
  refused: [...roles, ...refusedOfEveryKind(manifests)],
  accepted: [...accepted, ...acceptedOfEveryKind(manifests)],
};
