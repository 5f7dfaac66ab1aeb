/** Planned objects, compared with golden files. A manifest in one of the folders is a test case. */
import { objectsOf } from '@muster/common-job-controller';
import { jaxJobDefinition, type JAXJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { jaxAdapter } from './jax-adapter.ts';

const KIND: ObjectsOfKind<JAXJob> = {
  definition: jaxJobDefinition,
  objectsOf: (job, settings) => objectsOf(jaxAdapter(), job, settings),
};

const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(KIND, { manifests: GOLDEN, golden: GOLDEN });

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../examples/jax/upstream-forms/', import.meta.url),
  golden: new URL('upstream-forms/', GOLDEN),
});
