/**
 * The owner of a name determines what a reference to it means. So an object is only created if the referenced object
 * exists and belongs to the job, and a grant that refers to another owner's object is deleted. `write-order.ts` orders
 * each object after those it refers to, and a failed create ends the run before the next phase. This file handles
 * references that are unmet before the run.
 */
import { INGRESSES, PODS, ROLE_BINDINGS, type EventReason, type KubeObject, type PodSpec } from '@muster/job-api';
import { ownershipOf } from '../model/ownership.ts';
import { SERVICE_NAME_LABEL } from '../network/endpoint-slices.ts';
import { nameOf } from '../children/child-kind.ts';
import type { Decision } from '../model/decision.ts';
import type { PlannedEvent } from '../model/event.ts';
import type { Write } from '../model/write.ts';
import type { World } from '../world/world.ts';

/** `Role/x-launcher`: kind and name, in the job's namespace. */
type ObjectKey = string;

/** Kinds that grant access as soon as they exist. */
const GRANTS = new Set([ROLE_BINDINGS.kind, INGRESSES.kind]);

export function objectKey(kind: string, name: string): ObjectKey {
  return `${kind}/${name}`;
}

export function referencesOf(kind: string, object: KubeObject): ObjectKey[] {
  const { roleRef, subjects, spec = {}, metadata } = object as Referring;
  const template = kind === PODS.kind ? (spec as PodSpec) : spec.template?.spec;
  const service = metadata?.labels?.[SERVICE_NAME_LABEL];
  return [
    ...(roleRef === undefined ? [] : [objectKey(roleRef.kind, roleRef.name)]),
    ...(subjects ?? []).map((subject) => objectKey(subject.kind, subject.name)),
    ...(service === undefined ? [] : [objectKey('Service', service)]),
    ...backendsOf(spec).map((name) => objectKey('Service', name)),
    ...(template === undefined ? [] : ofPod(template)),
  ];
}

interface Backend {
  readonly service?: { readonly name: string };
}

interface Referring extends KubeObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[];
  readonly spec?: {
    readonly template?: { readonly spec?: PodSpec };
    readonly defaultBackend?: Backend;
    readonly rules?: readonly { readonly http?: { readonly paths: readonly { readonly backend: Backend }[] } }[];
  };
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
  const named: readonly (readonly [kind: string, names: readonly (string | undefined)[]])[] = [
    ['ServiceAccount', [serviceAccountName]],
    ['Service', [subdomain]],
    ['PersistentVolumeClaim', claims],
    ['ConfigMap', [...sources, ...variables].map(({ configMap }) => configMap?.name)],
    ['Secret', [...sources.map(({ secret }) => secretName(secret)), ...variables.map(({ secret }) => secret?.name)]],
  ];
  return named.flatMap(([kind, names]) => names.flatMap((name) => (name === undefined ? [] : objectKey(kind, name))));
}

/** Volumes and projected sources have different fields. */
function secretName(secret: { readonly secretName?: string; readonly name?: string } | undefined): string | undefined {
  return secret?.secretName ?? secret?.name;
}

export function withoutUnmet(writes: readonly Write[], unmet: ReadonlySet<ObjectKey>): Write[] {
  if (unmet.size === 0) return [...writes];
  return writes.filter(
    (each) => each.op !== 'create' || !referencesOf(each.resource.kind, each.object).some((key) => unmet.has(key)),
  );
}

/** Drops creates that refer to an object being deleted, and deletes grants that refer to other owners' objects. */
export function withDependencies(decision: Decision, world: World): Decision {
  const own = ownObjects(world);
  const staying = new Set(own.filter(({ isGoing }) => !isGoing).map(({ key }) => key));
  const going = new Map(own.flatMap(({ key, isGoing, uid }) => (isGoing ? [[key, uid] as const] : [])));
  const revoked = revokedGrants(decision.writes, world, staying);
  const isRevoked = (write: Write) => 'object' in write && revoked.some(({ object }) => object === write.object);
  const others = revoked.length === 0 ? decision.writes : decision.writes.filter((each) => !isRevoked(each));
  const deletions = revoked.map(({ kind: { resource }, object }): Write => {
    return { op: 'delete', resource, object, isOwnedResource: true };
  });
  const met = withoutUnmet(others, new Set(going.keys()));
  return {
    ...decision,
    events: [...decision.events, ...waitingEvents(others, met, going, world)],
    writes: [...met, ...deletions],
  };
}

function waitingEvents(
  all: readonly Write[],
  met: readonly Write[],
  going: ReadonlyMap<ObjectKey, string>,
  { emittedEvents }: World,
): PlannedEvent[] {
  const waiting = all.flatMap((each) => (each.op === 'create' && !met.includes(each) ? [each] : []));
  const keys = new Set(waiting.flatMap(({ resource, object }) => referencesOf(resource.kind, object)));
  return [...going].flatMap(([key, uid]): PlannedEvent[] => {
    const dedupKey = `WaitingForDeletion of ${uid}`;
    if (!keys.has(key) || emittedEvents.has(dedupKey)) return [];
    const note = `${key.replace('/', ' ')} is being deleted; objects that refer to it are created after its replacement`;
    return [{ type: 'Normal', reason: 'WaitingForDeletion' satisfies EventReason, note, action: 'Create', dedupKey }];
  });
}

function ownObjects({ manifest, ownedResources, services }: World) {
  const all = [
    ...ownedResources.map(({ kind, object }) => ({ kind: kind.resource.kind, object })),
    ...services.map((object) => ({ kind: 'Service', object })),
  ];
  return all
    .filter(({ object }) => ownershipOf(object, manifest.metadata?.uid ?? '') === 'owned')
    .map(({ kind, object }) => ({
      key: objectKey(kind, nameOf(object)),
      uid: object.metadata?.uid ?? '',
      isGoing: object.metadata?.deletionTimestamp !== undefined,
    }));
}

/**
 * Roles always belong to the job, so a binding without its role is revoked. ServiceAccounts and Services may be the
 * user's, so their binding is only revoked if another owner is known to hold a name that the job needs.
 */
function revokedGrants(
  writes: readonly Write[],
  { manifest, ownedResources, writeFailures }: World,
  staying: ReadonlySet<ObjectKey>,
) {
  const wanted = new Set(
    writes.flatMap((each) =>
      each.op === 'create' || each.op === 'ensure' ? objectKey(each.resource.kind, nameOf(each.object)) : [],
    ),
  );
  const taken = new Set(
    writeFailures
      .filter(({ verb, reason }) => verb === 'Create' && reason === 'NameTaken')
      .flatMap(({ kind, names }) => [...names].map((name) => objectKey(kind, name))),
  );
  return ownedResources.filter(({ kind: { resource }, object }) => {
    const isOwn = ownershipOf(object, manifest.metadata?.uid ?? '') === 'owned';
    if (!GRANTS.has(resource.kind) || !isOwn || object.metadata?.deletionTimestamp !== undefined) return false;
    const { roleRef } = object as Referring;
    const isUnmet = (key: ObjectKey) => taken.has(key) && wanted.has(key);
    const role = roleRef && objectKey(roleRef.kind, roleRef.name);
    const lacksRole = role !== undefined && !staying.has(role) && !wanted.has(role);
    return lacksRole || referencesOf(resource.kind, object).some(isUnmet);
  });
}
