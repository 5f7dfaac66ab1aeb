/** Planned objects, compared with golden files. A manifest in one of the folders is a test case. */
import { objectsOf } from '@muster/common-job-controller';
import { xgboostJobDefinition, type XGBoostJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { xgboostAdapter } from './xgboost-adapter.ts';

const KIND: ObjectsOfKind<XGBoostJob> = {
  definition: xgboostJobDefinition,
  objectsOf: (job, settings) => objectsOf(xgboostAdapter(), job, settings),
};

const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(KIND, { manifests: GOLDEN, golden: GOLDEN });

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../examples/xgboost/upstream-forms/', import.meta.url),
  golden: new URL('upstream-forms/', GOLDEN),
});
