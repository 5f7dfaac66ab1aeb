/** The operator that is measured: Muster's bundle, limited to the namespace of the run, or any other command. */
import { bundle, NODE_FLAGS } from '@muster/bundle';
import type { BenchContext } from './scenario.ts';
import { startCommand, startServer, type Started } from './server-process.ts';

export type Where = Pick<BenchContext, 'framework' | 'kubeconfig' | 'namespace' | 'profiles' | 'operatorCommand'>;

/** Resolves when the operator is ready; {@link stopServer} ends it. `nodeFlags` are additional flags of Node. */
export async function startOperator(
  { framework, kubeconfig, namespace, profiles, operatorCommand }: Where,
  nodeFlags: readonly string[] = [],
): Promise<Started> {
  if (operatorCommand !== undefined) return startCommand(operatorCommand, { kubeconfig, namespace });
  const { file } = await bundle(framework);
  const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--leader-election-namespace', namespace];
  const profile = profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles];
  const flags = [...NODE_FLAGS, ...profile, ...nodeFlags];
  return startServer([...flags, file, '--port', '0', '--host', '127.0.0.1', ...where], '/readyz', {});
}
