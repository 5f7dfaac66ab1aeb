import type { TrainingJob } from '../model/training-job.ts';
import { isControlledBy } from '../model/ownership.ts';
import type { Write } from '../model/write.ts';
import { ownResources, type DesiredResource, type OwnedResource } from '../model/owned-resources.ts';

export function planOwnedResources(
  job: Pick<TrainingJob, 'metadata'>,
  existing: readonly OwnedResource[],
  desired: readonly DesiredResource[],
): Write[] {
  const held = existing.filter(({ object }) => isControlledBy(job.metadata.uid, object));
  const own = ownResources(job, existing);
  const isWanted = (each: OwnedResource) => desired.some((wanted) => isSame(each, wanted));
  // An object that is being deleted still holds its name.
  const missing = desired.filter((wanted) => !held.some((each) => isSame(each, wanted)));
  return [
    ...own.filter((each) => each.kind.endsWithRun && !isWanted(each)).map(deletion),
    ...desired.flatMap((wanted) => {
      const found = own.find((each) => isSame(each, wanted));
      return found === undefined ? [] : changeOf(found, wanted);
    }),
    ...missing.map(({ resource, object }) => ({ op: 'create', resource, object, isOwnedResource: true }) as const),
  ];
}

export function deletion({ kind: { resource }, object }: OwnedResource): Write {
  return { op: 'delete', resource, object, isOwnedResource: true };
}

function changeOf(existing: OwnedResource, wanted: DesiredResource): Write[] {
  const { resource } = wanted;
  const { object } = existing;
  const change = wanted.change(object);
  if (change === undefined) return [];
  if (change === 'Recreate') {
    // The operator has no delete permission for kinds that are not replaceable.
    if (existing.kind.isReplaceable !== true) throw new Error(`${resource.kind} is not declared as replaceable`);
    return [deletion(existing)];
  }
  return [{ op: 'patch', resource, object, isOwnedResource: true, ...change }];
}

function isSame({ kind, object }: OwnedResource, wanted: DesiredResource): boolean {
  return kind.resource === wanted.resource && object.metadata?.name === wanted.object.metadata?.name;
}
