import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { PODS, rayClusterDefinition, SECRETS, type Resource } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { RAY_CLUSTER_KINDS } from './cluster-objects.ts';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';

const adapter = rayClusterAdapter({ operatorNamespace: 'muster' });

await describeUpstreamForms({
  definition: rayClusterDefinition,
  manifests: new URL('../../../../../examples/ray/upstream-forms/', import.meta.url),
  containerName: 'ray-head',
  jobLabel: RAY_LABELS.cluster,
  childKinds: [...RAY_CLUSTER_KINDS.map(({ resource }): Resource => resource), SECRETS, PODS],
  serviceModes: ['PerJob'],
  objectsOf: (cluster, settings) => objectsOf(adapter, cluster, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
