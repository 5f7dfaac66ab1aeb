/** Planned objects, compared with golden files. A manifest in one of the folders is a test case. */
import { objectsOf } from '@muster/common-job-controller';
import { paddleJobDefinition, type PaddleJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { paddleAdapter } from './paddle-adapter.ts';

const KIND: ObjectsOfKind<PaddleJob> = {
  definition: paddleJobDefinition,
  objectsOf: (job, settings) => objectsOf(paddleAdapter(), job, settings),
};

const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(KIND, { manifests: GOLDEN, golden: GOLDEN });

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../examples/paddle/upstream-forms/', import.meta.url),
  golden: new URL('upstream-forms/', GOLDEN),
});
