/** The CRDs of each framework, for `muster crds` and the charts (`files/crds`). */
import { crdFor } from './crd.ts';
import type { KindDefinition } from './kind-definition.ts';
import { mpiJobDefinition } from './mpi-job.ts';
import { mxJobDefinition } from './mx-job.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';
import { rayClusterDefinition } from './ray-cluster.ts';
import { rayCronJobDefinition } from './ray-cron-job.ts';
import { rayJobDefinition } from './ray-job.ts';
import { rayServiceDefinition } from './ray-service.ts';
import { tfJobDefinition } from './tf-job.ts';
import { paddleJobDefinition } from './paddle-job.ts';
import { jaxJobDefinition } from './jax-job.ts';
import { xgboostJobDefinition } from './xgboost-job.ts';

export type FrameworkName = 'tensorflow' | 'pytorch-elastic' | 'mxnet' | 'paddle' | 'jax' | 'xgboost' | 'mpi' | 'ray';

/** Kinds of each framework's operator, by the framework's name on the command line. */
export const FRAMEWORKS: Readonly<Record<FrameworkName, readonly KindDefinition[]>> = {
  tensorflow: [tfJobDefinition],
  'pytorch-elastic': [pytorchJobDefinition],
  mxnet: [mxJobDefinition],
  paddle: [paddleJobDefinition],
  jax: [jaxJobDefinition],
  xgboost: [xgboostJobDefinition],
  mpi: [mpiJobDefinition],
  ray: [rayClusterDefinition, rayJobDefinition, rayCronJobDefinition, rayServiceDefinition],
};

export function isFrameworkName(name: string): name is FrameworkName {
  return Object.hasOwn(FRAMEWORKS, name);
}

/**
 * CRDs of `frameworks` (default: all) as YAML documents for `kubectl apply -f -`. Deterministic. Throws an error that
 * lists the known names if a framework is unknown.
 */
export async function crdYaml(frameworks: readonly string[] = []): Promise<string> {
  const names = Object.keys(FRAMEWORKS);
  const wanted = frameworks.length === 0 ? names : [...new Set(frameworks)];
  const definitions = wanted.flatMap((name) => {
    if (!isFrameworkName(name)) throw new Error(`There is no framework "${name}": choose from ${names.join(', ')}.`);
    return FRAMEWORKS[name];
  });
  return (await Promise.all(definitions.map(crdDocument))).join('');
}

/** The CRD of one kind, as a YAML document. */
export async function crdDocument(definition: KindDefinition): Promise<string> {
  // Imported on demand: operators use this package too, and write no YAML.
  const { stringify } = await import('./stringify-yaml.ts');
  return `---\n${stringify(crdFor(definition), { lineWidth: 0, aliasDuplicateObjects: false })}`;
}
