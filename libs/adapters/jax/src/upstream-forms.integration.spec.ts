import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { JAX_CONTAINER, jaxJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { jaxAdapter } from './jax-adapter.ts';

const adapter = jaxAdapter();

await describeUpstreamForms({
  definition: jaxJobDefinition,
  manifests: new URL('../../../../examples/jax/upstream-forms/', import.meta.url),
  containerName: JAX_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
