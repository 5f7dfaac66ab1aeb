/** The operator that is measured: its bundle, for the namespace of the run alone. */
import { bundle, NODE_FLAGS } from '@muster/bundle';
import type { BenchContext } from './scenario.ts';
import { startServer, type Started } from './server-process.ts';

export type Where = Pick<BenchContext, 'framework' | 'kubeconfig' | 'namespace' | 'profiles'>;

/** Resolves when the operator is ready; {@link stopServer} ends it. `nodeFlags` are those of Node besides the usual ones. */
export async function startOperator(
  { framework, kubeconfig, namespace, profiles }: Where,
  nodeFlags: readonly string[] = [],
): Promise<Started> {
  const { file } = await bundle(framework);
  const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--leader-election-namespace', namespace];
  const profile = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles];
  const flags = [...NODE_FLAGS, ...profile, ...nodeFlags];
  return startServer([...flags, file, '--port', '0', '--host', '127.0.0.1', ...where], '/readyz', {});
}
