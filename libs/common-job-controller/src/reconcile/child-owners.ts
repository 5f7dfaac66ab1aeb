/** The writes of a pass that take up what belongs to nobody, and let go of what is the job's no longer. */
import type { KubeObject } from '@muster/job-api';
import { cacheKey, isKubeError } from '@muster/kube';
import { nameOf, type ChildKind } from '../children/child-kind.ts';
import { ownerReference } from '../model/ownership.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** @param verb what the plan has asked for, under which a refusal is remembered */
export async function adoptChild<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  verb: 'Create' | 'Update' = 'Update',
): Promise<void> {
  const { namespace = '', ownerReferences = [] } = object.metadata ?? {};
  const job = { name: nameOf(pass.manifest), namespace, uid: pass.uid };
  if (!(await pass.isLive())) return;
  const owners = [...ownerReferences, ownerReference({ resource: pass.tools.resource, metadata: job })];
  if (await setOwners(pass, child, object, owners, verb)) pass.noteDone('Adopt', child.resource, nameOf(object));
}

export async function releaseChild<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  object: T,
): Promise<void> {
  const owners = object.metadata?.ownerReferences?.filter(({ uid }) => uid !== pass.uid) ?? [];
  if (await setOwners(pass, child, object, owners, 'Update')) pass.noteDone('Release', child.resource, nameOf(object));
}

/** False when that was refused. */
async function setOwners<T extends KubeObject>(
  pass: ReconcileRun,
  child: ChildKind<T>,
  object: T,
  ownerReferences: NonNullable<KubeObject['metadata']>['ownerReferences'],
  verb: 'Create' | 'Update',
): Promise<boolean> {
  const { namespace = '', uid = '', resourceVersion = '' } = object.metadata ?? {};
  const patch = { metadata: { uid, resourceVersion, ownerReferences } };
  const name = nameOf(object);
  try {
    await pass.write((options) => pass.tools.client.patch(child.resource, { namespace, name }, patch, options));
  } catch (error) {
    if (isKubeError(error, 'NotFound', 'Conflict')) throw error;
    const isOptional = verb === 'Update' || child.isOptional === true;
    pass.noteWriteFailed({ verb, kind: child.resource.kind, name, isOptional }, error);
    return false;
  }
  const isMet = () => child.cache.get(cacheKey(object))?.metadata?.resourceVersion !== resourceVersion;
  pass.expect({ uid, isMet });
  return true;
}
