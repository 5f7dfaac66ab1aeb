/** The charts generate their RBAC rules from the same list. */
import { apiVersionOf, EVENTS, LEASES, NODES, PODS, SERVICES, type KubeObject, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { OwnedKind } from '../model/owned-resources.ts';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import type { Permission } from '../model/permission.ts';
import { ownedKinds } from '../children/job-owned-resources.ts';

/** @param hasServices whether the engine creates the Services; other kinds list their own permissions */
export function jobPermissions(jobs: Resource, hasServices: boolean, ownedKinds: readonly OwnedKind[]): Permission[] {
  // All Services are watched, to detect name conflicts.
  const onServices = hasServices ? ['get', 'create', 'patch', 'delete'] : [];
  return [
    { group: jobs.group, resource: jobs.plural, verbs: ['get', 'list', 'watch', 'patch', 'delete'] },
    { group: jobs.group, resource: `${jobs.plural}/status`, verbs: ['patch'] },
    // Needed for blockOwnerDeletion if the admission plugin OwnerReferencesPermissionEnforcement is enabled.
    { group: jobs.group, resource: `${jobs.plural}/finalizers`, verbs: ['update'] },
    { group: PODS.group, resource: PODS.plural, verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'] },
    { group: SERVICES.group, resource: SERVICES.plural, verbs: ['list', 'watch', ...onServices] },
    ...ownedKinds.map((kind) => ({ group: kind.resource.group, resource: kind.resource.plural, verbs: verbsOn(kind) })),
    { group: EVENTS.group, resource: EVENTS.plural, verbs: ['create', 'patch'] },
  ];
}

function verbsOn({ endsWithRun, isReplaceable = false, isFromOthers = false }: OwnedKind): string[] {
  if (isFromOthers) return ['list', 'watch', 'delete'];
  // Any of them may have lost its owner or labels, which are then restored.
  return ['get', 'list', 'watch', 'create', 'patch', ...(endsWithRun || isReplaceable ? ['delete'] : [])];
}

function readPermission({ group, plural }: Resource): Permission {
  return { group, resource: plural, verbs: ['list', 'watch'] };
}

/** For an operator that only reads: what is watched, and nothing that is read by name only, such as Secrets. */
export function readPermissions(permissions: readonly Permission[]): Permission[] {
  const watched = permissions.filter(({ verbs }) => verbs.includes('watch'));
  return watched.map(({ verbs, ...of }) => ({ ...of, verbs: verbs.filter((verb) => READ_VERBS.has(verb)) }));
}

const READ_VERBS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Only for operators that may delete pods on lost nodes by force. */
export function nodePermissions(): Permission[] {
  return [readPermission(NODES)];
}

export function leasePermissions(): Permission[] {
  return [{ group: LEASES.group, resource: LEASES.plural, verbs: ['get', 'list', 'watch', 'create', 'update'] }];
}

/** Optional, to find other operators for the same jobs in all namespaces. */
export function otherLeasePermissions(): Permission[] {
  return [{ group: LEASES.group, resource: LEASES.plural, verbs: ['list'] }];
}

export function combined(permissions: readonly Permission[]): Permission[] {
  const byResource = Map.groupBy(permissions, ({ group, resource }) => `${group}/${resource}`);
  return [...byResource.values()].map((same) => ({
    ...same[0]!,
    verbs: [...new Set(same.flatMap(({ verbs }) => verbs))],
  }));
}

export interface AccessRequest {
  readonly permissions: readonly Permission[];
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
}

interface AccessReview extends KubeObject {
  spec: { resourceAttributes: object };
  status?: { allowed: boolean };
}

const ACCESS_REVIEWS: Resource<AccessReview> = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
};

export async function missingPermissions(
  client: KubeClient,
  { permissions, namespace }: AccessRequest,
  signal: AbortSignal,
): Promise<string[]> {
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const lines: string[] = [];
  const isAllowed = async (attributes: object) => {
    const spec = { resourceAttributes: { ...attributes, ...(namespace && { namespace }) } };
    const review = { apiVersion: apiVersionOf(ACCESS_REVIEWS), kind: ACCESS_REVIEWS.kind, spec };
    return (await client.create(ACCESS_REVIEWS, review, { signal })).status?.allowed === true;
  };
  // For an administrator, one request is enough.
  if (await isAllowed({ group: '*', resource: '*', verb: '*' })) return [];
  // Sequentially over one connection, because parallel requests would open one each.
  for (const { group, resource, verbs } of permissions) {
    const [plural = '', subresource] = resource.split('/');
    const missing: string[] = [];
    for (const verb of verbs) {
      if (!(await isAllowed({ group, resource: plural, verb, ...(subresource && { subresource }) })))
        missing.push(verb);
    }
    if (missing.length === 0) continue;
    const full = group === '' ? resource : `${resource}.${group}`;
    lines.push(`not allowed to ${missing.join(', ')} ${full} ${where}: grant it to this operator's account with RBAC`);
  }
  return lines;
}

export function operatorPermissions(
  adapters: readonly FrameworkAdapter[],
  gang: GangScheduler | undefined,
  others: readonly GangScheduler[] = [],
): Permission[] {
  const all = adapters.flatMap((adapter) => [
    ...jobPermissions(adapter.resource, adapter.network !== undefined, ownedKinds(adapter, gang, others)),
    ...(adapter.references?.kinds ?? []).map(({ resource }) => readPermission(resource)),
    ...(adapter.ownedResources?.permissions ?? []),
  ]);
  return combined(all);
}
