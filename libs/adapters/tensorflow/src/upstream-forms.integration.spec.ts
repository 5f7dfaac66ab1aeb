import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { TF_CONTAINER, tfJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { tfAdapter } from './tf-adapter.ts';

const adapter = tfAdapter();

await describeUpstreamForms({
  definition: tfJobDefinition,
  manifests: new URL('../../../../examples/tensorflow/upstream-forms/', import.meta.url),
  containerName: TF_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
