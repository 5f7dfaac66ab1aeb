import type { KubeObject, OwnerReference } from '@muster/job-api';
import { keyOf, type ChildKind } from '../children/child-kind.ts';
import { ownerReference } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** @param verb under which a refusal is recorded */
export async function adoptChild(
  run: ReconcileRun,
  child: ChildKind,
  object: KubeObject,
  verb: 'Create' | 'Update' = 'Update',
): Promise<void> {
  if (!(await run.isLive())) return;
  const owners = [...(object.metadata?.ownerReferences ?? []), ownerReference(run.job)];
  if (await setOwners(run, child, object, owners, verb)) run.noteDone('Adopt', child.resource, object);
}

export async function releaseChild(run: ReconcileRun, child: ChildKind, object: KubeObject): Promise<void> {
  const owners = object.metadata?.ownerReferences?.filter(({ uid }) => uid !== run.uid) ?? [];
  if (await setOwners(run, child, object, owners, 'Update')) run.noteDone('Release', child.resource, object);
}

async function setOwners(
  run: ReconcileRun,
  { resource, cache, isOptional = false }: ChildKind,
  object: KubeObject,
  ownerReferences: readonly OwnerReference[],
  verb: 'Create' | 'Update',
): Promise<boolean> {
  const { uid = '', resourceVersion = '' } = object.metadata ?? {};
  const patch = { metadata: { uid, resourceVersion, ownerReferences } };
  const target = { resource, isOptional: verb === 'Update' || isOptional };
  const failure = await run.tryWrite(verb, target, object, (options) =>
    run.dependencies.client.patch(resource, keyOf(object), patch, options),
  );
  if (failure === 'refused') return false;
  if (failure !== undefined) throw failure;
  run.expectChanged(cache, object);
  return true;
}
