/**
 * The files in `golden/` were compared by hand with Kubeflow's rules: mode PerReplica equals them except for
 * docs/administrators/differences.md, mode PerJob has other Services and DNS names. A manifest in one of the folders is a test case.
 */
import { objectsOf } from '@muster/common-job-controller';
import { tfJobDefinition, type TFJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { tfAdapter } from './tf-adapter.ts';

const KIND: ObjectsOfKind<TFJob> = {
  definition: tfJobDefinition,
  objectsOf: (job, settings) => objectsOf(tfAdapter(), job, settings),
};

const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(KIND, { manifests: GOLDEN, golden: GOLDEN });

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../examples/tensorflow/upstream-forms/', import.meta.url),
  golden: new URL('upstream-forms/', GOLDEN),
});
