import type { KubeObject, Resource } from '@muster/job-api';
import type { Cache } from '@muster/kube';
import type { OwnedKind } from '../model/owned-resources.ts';

export interface ChildKind<T extends KubeObject = KubeObject> {
  readonly resource: Resource<T>;
  readonly cache: Cache<T>;
  /** Where name conflicts are recorded, for kinds that track them by name. */
  readonly takenAs?: 'pods' | 'services';
  readonly isOptional?: boolean;
  readonly hintOn?: OwnedKind['hintOn'];
}

export type Named<T extends KubeObject> = Pick<ChildKind<T>, 'resource' | 'takenAs' | 'isOptional' | 'hintOn'>;

export function nameOf({ metadata }: KubeObject): string {
  return metadata?.name ?? '';
}
