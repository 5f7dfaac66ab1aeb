import { createJobOperator, objectsOf } from '@muster/common-job-controller';
import { XGBOOST_CONTAINER, xgboostJobDefinition } from '@muster/job-api';
import { describeUpstreamForms, loneOperatorOptions, started } from '@muster/testing';
import { Registry } from 'prom-client';
import { xgboostAdapter } from './xgboost-adapter.ts';

const adapter = xgboostAdapter();

await describeUpstreamForms({
  definition: xgboostJobDefinition,
  manifests: new URL('../../../../examples/xgboost/upstream-forms/', import.meta.url),
  containerName: XGBOOST_CONTAINER,
  objectsOf: (job, settings) => objectsOf(adapter, job, settings),
  startOperator(start) {
    const registry = new Registry();
    return started(createJobOperator({ ...loneOperatorOptions(start), adapters: [adapter], registry }), registry);
  },
});
