/** Finds image problems that do not resolve themselves, and the next step. */
import type { Pod } from '@muster/job-api';

/** Waiting reasons of containers without their image. A registry may be unavailable for a short time. */
const NO_IMAGE: Readonly<Record<string, 'immediate' | 'after timeout'>> = {
  ErrImageNeverPull: 'immediate',
  InvalidImageName: 'immediate',
  ErrImagePull: 'after timeout',
  ImagePullBackOff: 'after timeout',
};
const IMAGE_TIMEOUT_MS = 60_000;

/** Undefined if the pods may still start. */
export function imageProblem(pods: readonly Pod[], nowMs: number = Date.now()): string | undefined {
  for (const { metadata, status } of pods) {
    const createdMs = Date.parse(metadata?.creationTimestamp ?? '') || nowMs;
    for (const container of [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]) {
      const { reason = '', message } = container.state?.waiting ?? {};
      const when = NO_IMAGE[reason];
      if (when === undefined || (when === 'after timeout' && nowMs - createdMs < IMAGE_TIMEOUT_MS)) continue;
      return [
        `The cluster has no image "${container.image}" for pod ${metadata?.name} (${reason}${message ? `: ${message}` : ''}).`,
        'Use an image with the framework that the cluster can pull: npm start -- <framework> --kubeconfig <file> --image <image>;',
        'or import the image that is built here into its nodes: docs/administrators/images.md.',
      ].join(' ');
    }
  }
  return undefined;
}
