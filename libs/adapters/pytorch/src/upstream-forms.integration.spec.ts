import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { PYTORCH_CONTAINER, pytorchJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { pytorchAdapter } from './pytorch-adapter.ts';

const adapter = pytorchAdapter();

await describeUpstreamForms({
  definition: pytorchJobDefinition,
  manifests: new URL('../../../../examples/pytorch-elastic/upstream-forms/', import.meta.url),
  containerName: PYTORCH_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
