import type { KubeObject } from '@muster/job-api';
import { cacheKey, isKubeError } from '@muster/kube';
import { nameOf, type ChildKind } from '../children/child-kind.ts';
import { ownerReference } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** @param verb under which a refusal is recorded */
export async function adoptChild<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  verb: 'Create' | 'Update' = 'Update',
): Promise<void> {
  const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
  const job = { name: nameOf(run.manifest), namespace, uid: run.uid };
  if (!(await run.isLive())) return;
  const owners = [...ownerReferences, ownerReference({ resource: run.tools.resource, metadata: job })];
  if (await setOwners(run, child, object, owners, verb)) run.noteDone('Adopt', child.resource, nameOf(object));
}

export async function releaseChild<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  object: T,
): Promise<void> {
  const owners = object.metadata?.ownerReferences?.filter(({ uid }) => uid !== run.uid) ?? [];
  if (await setOwners(run, child, object, owners, 'Update')) run.noteDone('Release', child.resource, nameOf(object));
}

async function setOwners<T extends KubeObject>(
  run: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  ownerReferences: NonNullable<KubeObject['metadata']>['ownerReferences'],
  verb: 'Create' | 'Update',
): Promise<boolean> {
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const patch = { metadata: { uid, resourceVersion, ownerReferences } };
  const name = nameOf(object);
  try {
    await run.write((options) => run.tools.client.patch(child.resource, { namespace, name }, patch, options));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    const isOptional = verb === 'Update' || child.isOptional === true;
    run.noteWriteFailed({ verb, kind: child.resource.kind, name, isOptional }, error);
    return false;
  }
  const isMet = () => child.cache.get(cacheKey(object))?.metadata?.resourceVersion !== resourceVersion;
  run.expect({ uid, isMet });
  return true;
}
