import type { KubeObject } from '@muster/job-api';

/** The objects of that kind, each with `<namespace>/<name>` in its name's place where it is in a namespace. */
export function namesOfKind(objects: readonly KubeObject[], kind: string): string[] {
  return objects
    .filter((object) => object.kind === kind)
    .map(({ metadata }) => [metadata?.namespace, metadata?.name].filter((part) => part !== undefined).join('/'));
}

/** The one object of that kind. */
export function ofKind<T extends KubeObject>(objects: readonly KubeObject[], kind: string): T {
  const found = objects.filter((object) => object.kind === kind);
  if (found.length !== 1) throw new Error(`expected one ${kind}, and there are ${found.length}`);
  return found[0] as T;
}
