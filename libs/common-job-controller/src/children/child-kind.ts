import type { KubeObject, ObjectKey, Resource } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import type { OwnedKind } from '../model/owned-resources.ts';

export interface ChildKind {
  readonly resource: Resource;
  readonly cache: Cache<KubeObject>;
  /** Where name conflicts are recorded, for kinds that track them by name. */
  readonly takenAs?: 'pods' | 'services';
  readonly isOptional?: boolean;
  readonly hintOn?: OwnedKind['hintOn'];
}

export type Named = Omit<ChildKind, 'cache'>;

export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}

export function keyOf(object: KubeObject): ObjectKey {
  return { namespace: object.metadata?.namespace ?? '', name: nameOf(object) };
}
