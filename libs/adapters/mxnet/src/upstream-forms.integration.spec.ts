import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { MX_CONTAINER, mxJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { mxAdapter } from './mx-adapter.ts';

const adapter = mxAdapter();

await describeUpstreamForms({
  definition: mxJobDefinition,
  manifests: new URL('../../../../examples/mxnet/upstream-forms/', import.meta.url),
  containerName: MX_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
