/**
 * What manifests get, object for object. The files in `golden/` were compared by hand with Kubeflow's own rules: mode
 * PerReplica is theirs to the letter but for what docs/administrators/differences.md lists, mode PerJob differs by its Services and the
 * names in DNS. A manifest that is put into one of the folders is a test case.
 */
import { objectsOf } from '@muster/common-job-controller';
import { mxJobDefinition, type MXJob } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { mxAdapter } from './mx-adapter.ts';

const KIND: ObjectsOfKind<MXJob> = {
  definition: mxJobDefinition,
  objectsOf: (job, settings) => objectsOf(mxAdapter(), job, settings),
};

const GOLDEN = new URL('../golden/', import.meta.url);

describeGoldenObjects(KIND, { manifests: GOLDEN, golden: GOLDEN });

/** The forms that Kubeflow's users have. */
describeGoldenObjects(KIND, {
  manifests: new URL('../../../../examples/mxnet/upstream-forms/', import.meta.url),
  golden: new URL('upstream-forms/', GOLDEN),
});
