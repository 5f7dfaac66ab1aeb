/**
 * An object is only created if the objects that it refers to exist and belong to the job, and a grant that refers to
 * another owner's object is deleted. `write-order.ts` orders each object after those it refers to, and a failed create
 * ends the run before the next phase. This file handles references that are unmet before the run.
 */
import {
  INGRESSES,
  PODS,
  ROLE_BINDINGS,
  SERVICES,
  type EventReason,
  type Ingress,
  type KubeObject,
  type PodSpec,
  type PodTemplateSpec,
  type RoleBinding,
} from '@muster/job-api';
import { isControlledBy } from '../model/ownership.ts';
import { SERVICE_NAME_LABEL } from '../network/endpoint-slices.ts';
import { nameOf } from '../children/child-kind.ts';
import { isStaying } from '../children/claims.ts';
import { deletion } from '../owned-resources/plan-owned-resources.ts';
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import { writesOf, type Write, type WriteOf } from '../model/write.ts';
import type { World } from '../world/world.ts';

/** `Role/x-launcher`: kind and name, in the job's namespace. */
type ObjectKey = string;

/** Kinds that grant access as soon as they exist. */
const GRANTS = new Set([ROLE_BINDINGS.kind, INGRESSES.kind]);

export function objectKey(kind: string, name: string): ObjectKey {
  return `${kind}/${name}`;
}

export function referencedKeys(kind: string, object: KubeObject): ObjectKey[] {
  const { roleRef, subjects, spec = {}, metadata } = object as Referring;
  const template = kind === PODS.kind ? (spec as PodSpec) : spec.template?.spec;
  const service = metadata?.labels?.[SERVICE_NAME_LABEL];
  return [
    ...(roleRef === undefined ? [] : [objectKey(roleRef.kind, roleRef.name)]),
    ...(subjects ?? []).map((subject) => objectKey(subject.kind, subject.name)),
    ...(service === undefined ? [] : [objectKey(SERVICES.kind, service)]),
    ...backendsOf(spec).map((name) => objectKey(SERVICES.kind, name)),
    ...(template === undefined ? [] : ofPod(template)),
  ];
}

interface Referring extends KubeObject, Partial<Pick<RoleBinding, 'roleRef' | 'subjects'>> {
  readonly spec?: NonNullable<Ingress['spec']> & { readonly template?: PodTemplateSpec };
}

function backendsOf({ defaultBackend, rules = [] }: NonNullable<Referring['spec']>): string[] {
  const backends = [defaultBackend, ...rules.flatMap(({ http }) => http?.paths.map(({ backend }) => backend))];
  return backends.flatMap((backend) => backend?.service?.name ?? []);
}

function ofPod({ serviceAccountName, subdomain, volumes = [], containers, initContainers = [] }: PodSpec): ObjectKey[] {
  const sources = volumes.flatMap((volume) => [volume, ...(volume.projected?.sources ?? [])]);
  const variables = [...containers, ...initContainers].flatMap(({ env = [], envFrom = [] }) => [
    ...env.map(({ valueFrom }) => ({ configMap: valueFrom?.configMapKeyRef, secret: valueFrom?.secretKeyRef })),
    ...envFrom.map(({ configMapRef, secretRef }) => ({ configMap: configMapRef, secret: secretRef })),
  ]);
  const claims = volumes.map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName);
  // Secrets of volumes and of projected sources have different fields.
  const secretName = (secret: { readonly secretName?: string; readonly name?: string } | undefined) =>
    secret?.secretName ?? secret?.name;
  const named: Readonly<Record<string, readonly (string | undefined)[]>> = {
    ServiceAccount: [serviceAccountName],
    Service: [subdomain],
    PersistentVolumeClaim: claims,
    ConfigMap: [...sources, ...variables].map(({ configMap }) => configMap?.name),
    Secret: [...sources, ...variables].map(({ secret }) => secretName(secret)),
  };
  return Object.entries(named).flatMap(([kind, names]) =>
    names.flatMap((name) => (name === undefined ? [] : objectKey(kind, name))),
  );
}

/** Whether the write creates an object that refers to one of these. */
export function isUnmet(write: Write, unmet: Pick<ReadonlySet<ObjectKey>, 'has' | 'size'>): boolean {
  if (unmet.size === 0 || write.op !== 'create') return false;
  return referencedKeys(write.resource.kind, write.object).some((key) => unmet.has(key));
}

/** Drops creates that refer to an object being deleted, and deletes grants that refer to other owners' objects. */
export function withoutUnmetReferences(decision: Decision, world: World): Decision {
  const { staying, going } = ownObjects(world);
  const revoked = revokedGrants(decision, world, staying);
  const isRevoked = (write: Write) => 'object' in write && revoked.some(({ object }) => object === write.object);
  const others = decision.writes.filter((each) => !isRevoked(each));
  const unmet = writesOf({ writes: others }, 'create').filter((each) => isUnmet(each, going));
  return {
    ...decision,
    events: [...decision.events, ...waitingEvents(unmet, going)],
    writes: [...others.filter((each) => !isUnmet(each, going)), ...revoked.map(deletion)],
  };
}

function waitingEvents(unmet: readonly WriteOf<'create'>[], going: ReadonlyMap<ObjectKey, KubeObject>): PlannedEvent[] {
  const keys = new Set(unmet.flatMap(({ resource, object }) => referencedKeys(resource.kind, object)));
  const awaited = [...going].filter(([key]) => keys.has(key));
  return awaited.map(([key, { metadata }]) => {
    const note = `${key.replace('/', ' ')} is being deleted; objects that refer to it are created after its replacement`;
    const reason = 'WaitingForDeletion' satisfies EventReason;
    return { type: 'Normal', reason, note, action: 'Create', dedupKey: `${reason} of ${metadata?.uid}` };
  });
}

function ownObjects({ manifest, ownedResources, services }: World) {
  const all = [
    ...ownedResources.map(({ kind, object }) => [objectKey(kind.resource.kind, nameOf(object)), object] as const),
    ...services.map((object) => [objectKey(SERVICES.kind, nameOf(object)), object] as const),
  ];
  const own = all.filter(([, object]) => isControlledBy(manifest.metadata?.uid, object));
  return {
    staying: new Map(own.filter(([, object]) => isStaying(object))),
    going: new Map(own.filter(([, object]) => !isStaying(object))),
  };
}

/**
 * Roles always belong to the job, so a binding without its role is revoked. ServiceAccounts and Services may be the
 * user's, so their binding is only revoked if another owner is known to hold a name that the job needs.
 */
function revokedGrants(decision: Decision, world: World, staying: ReadonlyMap<ObjectKey, KubeObject>) {
  const wanted = createdKeys(decision);
  const taken = takenKeys(world);
  return world.ownedResources.filter(({ kind: { resource }, object }) => {
    const isOwn = isControlledBy(world.manifest.metadata?.uid, object);
    if (!GRANTS.has(resource.kind) || !isOwn || !isStaying(object)) return false;
    const { roleRef } = object as Referring;
    const role = roleRef && objectKey(roleRef.kind, roleRef.name);
    const lacksRole = role !== undefined && !staying.has(role) && !wanted.has(role);
    return lacksRole || referencedKeys(resource.kind, object).some((key) => taken.has(key) && wanted.has(key));
  });
}

export function createdKeys(decision: Decision): ReadonlySet<ObjectKey> {
  const created = [...writesOf(decision, 'ensure'), ...writesOf(decision, 'create')];
  return new Set(created.map(({ resource, object }) => objectKey(resource.kind, nameOf(object))));
}

/** The names that creates found to belong to other owners. */
export function takenKeys({ writeFailures }: World): ReadonlySet<ObjectKey> {
  const taken = writeFailures.filter(({ reason }) => reason === 'NameTaken');
  return new Set(taken.flatMap(({ kind, names }) => [...names].map((name) => objectKey(kind, name))));
}
