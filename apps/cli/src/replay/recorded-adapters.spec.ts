import { mpiAdapter } from '@muster/adapter-mpi';
import { initContainerTemplate, pytorchAdapter } from '@muster/adapter-pytorch';
import { rayAdapters } from '@muster/adapter-ray';
import { objectsOf, withNetworkPolicy, type FrameworkAdapter, type JobManifest } from '@muster/common-job-controller';
import { resourceKey, type RecordedKind } from '@muster/recording';
import { admitted, mpiJobDefinition, pytorchJobDefinition, rayClusterDefinition } from '@muster/job-api';
import { volcanoJobAdapter } from '@muster/volcano-job';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { VOLCANO_PLUGINS } from '../planned-kinds.ts';
import { recordedAdapter } from './recorded-adapters.ts';

const SETTINGS = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
const METADATA = { name: 'pi', namespace: 'team', uid: '1', generation: 1 };

const template = (name: string) => ({ spec: { containers: [{ name, image: 'registry.example/a:1' }] } });
const replicas = (first: string, name: string) => ({
  [first]: { template: template(name) },
  Worker: { replicas: 2, template: template(name) },
});
const PYTORCH_JOB = admitted(pytorchJobDefinition, {
  metadata: METADATA,
  spec: { pytorchReplicaSpecs: replicas('Master', 'pytorch') },
});
const MPI_JOB = admitted(mpiJobDefinition, {
  apiVersion: 'kubeflow.org/v1',
  metadata: METADATA,
  spec: { mpiReplicaSpecs: replicas('Launcher', 'mpi') },
});
const RAY_CLUSTER = admitted(rayClusterDefinition, {
  metadata: METADATA,
  spec: { headGroupSpec: { template: template('head') }, networkPolicy: { mode: 'DenyAll' } },
});

/** The kind in a record. */
function kindOf({ resource, framework, madeWith }: FrameworkAdapter): RecordedKind {
  return JSON.parse(JSON.stringify({ resource: resourceKey(resource), framework, madeWith })) as RecordedKind;
}

function planText(adapter: FrameworkAdapter, manifest: JobManifest): string {
  return JSON.stringify(objectsOf(adapter, manifest, SETTINGS));
}

const ofTemplate = async () => {
  const values = { image: 'registry.example/wait:1', maxTries: 7 };
  const text = '- name: wait\n  image: {{.InitContainerImage}}\n  args: ["{{.MasterAddr}}", "{{.MaxTries}}"]\n';
  return pytorchAdapter({ ...values, template: await initContainerTemplate(text, values) });
};

describe('the adapter of a recorded reconcile run', () => {
  it.each<[string, JobManifest, () => FrameworkAdapter | Promise<FrameworkAdapter>, () => FrameworkAdapter]>([
    [
      "the init container's image",
      PYTORCH_JOB,
      () => pytorchAdapter({ image: 'registry.example/wait:2', maxTries: 3 }),
      () => pytorchAdapter(),
    ],
    ["the init container's template", PYTORCH_JOB, ofTemplate, () => pytorchAdapter()],
    [
      'network policies of jobs',
      PYTORCH_JOB,
      () => withNetworkPolicy(pytorchAdapter(), 'DenyAll', 'operators'),
      () => pytorchAdapter(),
    ],
    [
      "the launcher's init container",
      MPI_JOB,
      () => mpiAdapter({ deliveryImage: 'registry.example/kubectl:1' }),
      () => mpiAdapter(),
    ],
    [
      "the operator's namespace",
      RAY_CLUSTER,
      () => rayAdapters({ clusterDomain: 'corp.local', operatorNamespace: 'operators' })[0],
      () => rayAdapters()[0],
    ],
  ])('has %s', async (_what, manifest, made, byDefault) => {
    const adapter = await made();
    const again = recordedAdapter(kindOf(adapter));
    expect(again && planText(again, manifest)).toBe(planText(adapter, manifest));
    // The setting changes the plan of this job.
    expect(planText(adapter, manifest)).not.toBe(planText(byDefault(), manifest));
  });

  it.each(rayAdapters({ clusterDomain: 'corp.local' }).map((adapter) => [adapter.resource.kind, adapter] as const))(
    'of a %s has the settings of its operator',
    (_kind, adapter) => {
      expect(recordedAdapter(kindOf(adapter))?.madeWith).toEqual(adapter.madeWith);
    },
  );

  it.each(VOLCANO_PLUGINS.map(({ name }) => name))('has the plugin %s of Volcano Jobs', (name) => {
    const plugin = VOLCANO_PLUGINS.find((each) => each.name === name);
    const adapter = plugin && volcanoJobAdapter(plugin);
    const again = adapter && recordedAdapter(kindOf(adapter));
    expect(again?.lifecycle.isOurs?.({ spec: { plugins: { [name]: [] } } })).toBe(true);
  });

  it.each(KINDS.map(({ definition: { resource } }) => resource))('runs a $kind', (resource) => {
    expect(recordedAdapter({ resource: resourceKey(resource), framework: '' })?.resource).toBe(resource);
  });

  it('is undefined for a kind that no operator runs', () => {
    expect(recordedAdapter({ resource: 'plainjobs.test.muster.dev', framework: 'plain' })).toBeUndefined();
  });
});
