/** The charts generate their RBAC rules from the same list. */
import { EVENTS, LEASES, NODES, PODS, SERVICES, type KubeObject, type Resource } from '@muster/job-api';
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

function readPermissions(resources: readonly Resource[]): Permission[] {
  return resources.map(({ group, plural }) => ({ group, resource: plural, verbs: ['list', 'watch'] }));
}

/** Only for operators that may delete pods on lost nodes by force. */
export function nodePermissions(): Permission[] {
  return [{ group: NODES.group, resource: NODES.plural, verbs: ['list', 'watch'] }];
}

export function leasePermissions(): Permission[] {
  return [{ group: LEASES.group, resource: LEASES.plural, verbs: ['get', 'list', 'watch', 'create', 'update'] }];
}

/** Optional, to find other operators for the same jobs in all namespaces. */
export function otherLeasePermissions(): Permission[] {
  return [{ group: LEASES.group, resource: LEASES.plural, verbs: ['list'] }];
}

export function combined(permissions: readonly Permission[]): Permission[] {
  const byResource = new Map<string, Permission>();
  for (const permission of permissions) {
    const { group, resource } = permission;
    const before = byResource.get(`${group}/${resource}`);
    const verbs = [...new Set([...(before?.verbs ?? []), ...permission.verbs])];
    byResource.set(`${group}/${resource}`, { group, resource, verbs });
  }
  return [...byResource.values()];
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
  permissions: readonly Permission[],
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const where = namespace === undefined ? 'in all namespaces' : `in namespace ${namespace}`;
  const lines: string[] = [];
  const isAllowed = async (attributes: object) => {
    const at = { ...attributes, ...(namespace && { namespace }) };
    return (await client.create(ACCESS_REVIEWS, reviewOf(at), { signal })).status?.allowed === true;
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

function reviewOf(resourceAttributes: object): AccessReview {
  return { apiVersion: 'authorization.k8s.io/v1', kind: ACCESS_REVIEWS.kind, spec: { resourceAttributes } };
}

export function operatorPermissions(
  adapters: readonly FrameworkAdapter[],
  gang: GangScheduler | undefined,
  others: readonly GangScheduler[] = [],
): Permission[] {
  const all = adapters.flatMap((adapter) => {
    const referred = (adapter.references?.kinds ?? []).map(({ resource }) => resource);
    return [
      ...jobPermissions(adapter.resource, adapter.network !== undefined, ownedKinds(adapter, gang, others)),
      ...readPermissions(referred),
      ...(adapter.ownedResources?.permissions ?? []),
    ];
  });
  return combined(all);
}
