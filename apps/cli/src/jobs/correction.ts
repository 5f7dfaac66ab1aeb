/** How a correction reaches the cluster: a sentence, and the command for it. Pure. */
import { isFinished, type JobView } from './job-view.ts';

type Corrected = Pick<JobView, 'kind' | 'manifest' | 'state'>;

/**
 * A job keeps its name until it is deleted, so its corrected manifest is refused before that. A job that another object creates is
 * corrected there, because a deleted one is created again with the old spec. A RayCluster that runs is changed in place.
 *
 * @param what to correct, without a full stop: `Raise spec.runPolicy.activeDeadlineSeconds (20)`
 */
export function corrected({ kind, manifest, state }: Corrected, what: string): string[] {
  const owner = manifest.metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner?.kind === 'RayJob')
    return [
      `${what} in RayJob ${owner.name}. To submit it again, delete it first`,
      `kubectl delete rayjobs.ray.io ${owner.name}`,
    ];
  if (owner !== undefined) {
    const [group = '', version] = owner.apiVersion.split('/');
    const suffix = version === undefined ? '' : `.${version}.${group}`;
    return [
      `${what}. Correct it in ${owner.kind} ${owner.name}, which creates this ${kind.definition.resource.kind}`,
      `kubectl edit ${owner.kind.toLowerCase()}${suffix} ${owner.name}`,
    ];
  }
  if (kind.isEndless === true && !isFinished({ state })) return [what, 'kubectl edit'];
  return [`${what}. To submit the job again, delete it first`, 'delete'];
}
