import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { PADDLE_CONTAINER, paddleJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { paddleAdapter } from './paddle-adapter.ts';

const adapter = paddleAdapter();

await describeUpstreamForms({
  definition: paddleJobDefinition,
  manifests: new URL('../../../../examples/paddle/upstream-forms/', import.meta.url),
  containerName: PADDLE_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
