/** The kinds that can be planned: those of the other commands, and Volcano Jobs. */
import { mpiPlugin } from '@muster/adapter-mpi';
import { mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import { apiVersionOf, volcanoJobDefinition, type KubeObject } from '@muster/job-api';
import { frameworkOf, volcanoJobAdapter } from '@muster/volcano-job';
import { kindOf, KINDS, type Kind } from './kinds.ts';

export const VOLCANO_PLUGINS = [tensorflowPlugin, pytorchPlugin, mpiPlugin, mxnetPlugin, rayPlugin];

/** The kind of an object; for a Volcano Job that of the framework in its plugins. Undefined for other objects. */
export function plannedKindOf(object: KubeObject & { readonly spec?: object }): Kind | undefined {
  const { resource } = volcanoJobDefinition;
  if (object.kind !== resource.kind || object.apiVersion !== apiVersionOf(resource)) return kindOf(object);
  const framework = frameworkOf(Object(object.spec) as object);
  const plugin = VOLCANO_PLUGINS.find(({ name }) => name === framework);
  return plugin && { definition: volcanoJobDefinition, adapter: () => volcanoJobAdapter(plugin) };
}

/**
 * Whether it is another object in a file of jobs, such as a ConfigMap. A kind of a job with a wrong `apiVersion` is still a job, so
 * that it is reported as an error.
 */
export function isOtherObject(object: KubeObject): boolean {
  const { apiVersion, kind } = object;
  if (!apiVersion || !kind || plannedKindOf(object) !== undefined) return false;
  return !KINDS.some(({ definition }) => definition.resource.kind.toLowerCase() === String(kind).toLowerCase());
}
