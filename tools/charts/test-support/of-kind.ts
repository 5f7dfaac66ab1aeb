import type { KubeObject } from '@muster/job-api';

/** Names of the objects of that kind: `<namespace>/<name>` if namespaced. */
export function namesOfKind(objects: readonly KubeObject[], kind: string): string[] {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => [metadata?.namespace, metadata?.name].filter((part) => part !== undefined).join('/'));
}

/** The single object of that kind. */
export function ofKind<T extends KubeObject>(objects: readonly KubeObject[], kind: string): T {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`expected one ${kind}, and there are ${found.length}`);
  return found[0] as T;
}
