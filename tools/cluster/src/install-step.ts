/** The part of `cluster up --install` that runs when the cluster is up. */
import type { Cluster } from './cluster.ts';
import { InterruptedError } from './interrupt-signal.ts';
import type { Progress } from './progress.ts';

/** Installs the operators of these frameworks into a running cluster. Throws a ClusterError on failure. */
export type InstallOperators = (
  frameworks: readonly string[],
  options: { readonly cluster: Cluster; readonly progress: Progress; readonly signal: AbortSignal },
) => Promise<void>;

/** An interruption removes neither the cluster, which may have existed before, nor installed operators: the message says so. */
export async function installStep(
  frameworks: readonly string[],
  install: InstallOperators,
  options: Parameters<InstallOperators>[1],
): Promise<void> {
  try {
    await install(frameworks, options);
  } catch (error) {
    const { cluster, signal } = options;
    if (!(signal.reason instanceof InterruptedError)) throw error;
    throw new InterruptedError(
      signal.reason.signal,
      `the cluster "${cluster.name}" is up and stays up, with the operators installed before. Run the same command again to continue, or take the cluster down ` +
        `with "muster cluster down --name ${cluster.name}".`,
    );
  }
}
