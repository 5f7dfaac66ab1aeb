/** What can be planned: the kinds that the command line knows, and Volcano Jobs, of which it knows no more. */
import { mpiPlugin } from '@muster/adapter-mpi';
import { mxnetPlugin } from '@muster/adapter-mxnet';
import { pytorchPlugin } from '@muster/adapter-pytorch';
import { rayPlugin } from '@muster/adapter-ray';
import { tensorflowPlugin } from '@muster/adapter-tensorflow';
import { apiVersionOf, volcanoJobDefinition, type KubeObject } from '@muster/job-api';
import { frameworkOf, volcanoJobAdapter } from '@muster/volcano-job';
import { kindOf, KINDS, type Kind } from './kinds.ts';

export const VOLCANO_PLUGINS = [tensorflowPlugin, pytorchPlugin, mpiPlugin, mxnetPlugin, rayPlugin];

/** The kind of an object; of a Volcano Job by the framework that its plugins name. Undefined where it is none of these. */
export function plannedKindOf(object: KubeObject & { readonly spec?: object }): Kind | undefined {
  const { resource } = volcanoJobDefinition;
  if (object.kind !== resource.kind || object.apiVersion !== apiVersionOf(resource)) return kindOf(object);
  const framework = frameworkOf(Object(object.spec) as object);
  const plugin = VOLCANO_PLUGINS.find(({ name }) => name === framework);
  return plugin && { definition: volcanoJobDefinition, adapter: () => volcanoJobAdapter(plugin) };
}

/**
 * Whether it is an object beside the jobs of a file, such as a ConfigMap: one of another kind, also by its name, so that a job with a
 * wrong `apiVersion` is not taken for one.
 */
export function isNoJob(object: KubeObject): boolean {
  const { apiVersion, kind } = object;
  if (!apiVersion || !kind || plannedKindOf(object) !== undefined) return false;
  return !KINDS.some(({ definition }) => definition.resource.kind.toLowerCase() === String(kind).toLowerCase());
}
