import { KUBERNETES_VERSION, OLDEST_KUBERNETES_VERSION } from './binaries/versions.ts';
import { ClusterError } from './cluster-error.ts';

/**
 * Returns the version, or throws a ClusterError if it is not supported: each release has its own modules, so all three numbers are needed.
 */
export function checkKubernetesVersion(version: string): string {
  const minor = Number(/^1\.(\d+)\.\d+$/.exec(version)?.[1]);
  if (Number.isInteger(minor) && minor >= minorOf(OLDEST_KUBERNETES_VERSION) && minor <= minorOf(KUBERNETES_VERSION)) {
    return version;
  }
  throw new ClusterError(
    `Kubernetes version "${version}" is not supported: choose one from ${OLDEST_KUBERNETES_VERSION} to ${KUBERNETES_VERSION}, with all three numbers.`,
  );
}

function minorOf(version: string): number {
  return Number(version.split('.')[1]);
}
