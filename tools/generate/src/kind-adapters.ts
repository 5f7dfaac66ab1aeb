import { pytorchPlugin } from '@muster/adapter-pytorch';
import { FRAMEWORK_CHARTS } from '@muster/charts';
import type { FrameworkAdapter } from '@muster/common-job-controller';
import type { KindDefinition } from '@muster/job-api';
import { volcanoJobAdapter } from '@muster/volcano-job';

/** The adapters of Volcano Jobs differ only by the plugin that names the framework. */
const ADAPTERS: readonly FrameworkAdapter[] = [
  ...Object.values(FRAMEWORK_CHARTS).flatMap(({ adapters }) => adapters),
  volcanoJobAdapter(pytorchPlugin),
];

export function adapterOf({ resource: { group, kind } }: KindDefinition): FrameworkAdapter {
  const adapter = ADAPTERS.find(({ resource }) => resource.group === group && resource.kind === kind);
  if (adapter === undefined) throw new Error(`There is no adapter of the kind ${kind} of ${group}.`);
  return adapter;
}
