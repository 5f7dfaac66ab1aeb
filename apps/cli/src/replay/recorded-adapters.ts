/** Creates the adapter of a recorded reconcile run from the settings in its record. */
import { mpiAdapter } from '@muster/adapter-mpi';
import { pytorchAdapter, settingsOfRecord } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { JOB_NETWORK_POLICIES, withNetworkPolicy, type FrameworkAdapter } from '@muster/common-job-controller';
import { resourceKey, type RecordedKind } from '@muster/recording';
import { FRAMEWORKS, MPI_JOBS, PYTORCH_JOBS, VOLCANO_JOBS } from '@muster/job-api';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { KINDS } from '../kinds.ts';
import { VOLCANO_PLUGINS } from '../planned-kinds.ts';

type Settings = Readonly<Record<string, unknown>>;

/** Factories for kinds whose adapters depend on settings. */
const MAKERS: Readonly<Record<string, (settings: Settings) => FrameworkAdapter | undefined>> = {
  [resourceKey(PYTORCH_JOBS)]: (settings) => pytorchAdapter(settingsOfRecord(settings)),
  [resourceKey(MPI_JOBS)]: (settings) => mpiAdapter(settings),
  ...Object.fromEntries(
    FRAMEWORKS.ray.map(({ resource }) => [
      resourceKey(resource),
      (settings: Settings) => rayAdapters(settings).find((adapter) => adapter.resource === resource),
    ]),
  ),
  [resourceKey(VOLCANO_JOBS)]: (settings) => {
    const plugin = VOLCANO_PLUGINS.find(({ name }) => name === settings['plugin']);
    return plugin && volcanoJobAdapter(plugin);
  },
};

/** Undefined for a kind that no operator runs. */
export function recordedAdapter({ resource, madeWith = {} }: RecordedKind): FrameworkAdapter | undefined {
  const make = MAKERS[resource] ?? adapterWithoutSettings(resource);
  const adapter = make?.(madeWith);
  const policy = JOB_NETWORK_POLICIES.find((each) => each === madeWith['jobNetworkPolicy']);
  if (adapter === undefined || policy === undefined) return adapter;
  return withNetworkPolicy(adapter, policy, madeWith['operatorNamespace'] as string | undefined);
}

function adapterWithoutSettings(resource: string): (() => FrameworkAdapter) | undefined {
  const kind = KINDS.find(({ definition }) => resourceKey(definition.resource) === resource);
  return kind && (() => kind.adapter({ clusterDomain: 'cluster.local' }));
}
