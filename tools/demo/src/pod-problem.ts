/** What keeps a pod from starting that waiting will not mend, in words that say what to do. */
import type { Pod } from '@muster/job-api';

/** Waiting reasons of containers whose image is not there. A registry may be away for a moment: those are given time. */
const NO_IMAGE: Readonly<Record<string, 'at once' | 'in time'>> = {
  ErrImageNeverPull: 'at once',
  InvalidImageName: 'at once',
  ErrImagePull: 'in time',
  ImagePullBackOff: 'in time',
};
const PATIENCE_MS = 60_000;

/** Undefined as long as there is hope. */
export function imageProblem(pods: readonly Pod[], nowMs: number = Date.now()): string | undefined {
  for (const { metadata, status } of pods) {
    const createdMs = Date.parse(metadata?.creationTimestamp ?? '') || nowMs;
    for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
      const { reason = '', message } = container.state?.waiting ?? {};
      const when = NO_IMAGE[reason];
      if (when === undefined || (when === 'in time' && nowMs - createdMs < PATIENCE_MS)) continue;
      return [
        `The cluster has no image "${container.image}" for pod ${metadata?.name} (${reason}${message ? `: ${message}` : ''}).`,
        'Name one with the framework that it can pull: npm start -- <framework> --kubeconfig <file> --image <image>;',
        'or import the one that is built here into its nodes: docs/administrators/images.md.',
      ].join(' ');
    }
  }
  return undefined;
}
