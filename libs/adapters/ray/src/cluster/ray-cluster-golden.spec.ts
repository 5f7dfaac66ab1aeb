/**
 * The golden files were compared by hand with KubeRay's rules; docs/administrators/differences/ray.md lists the differences. A
 * manifest in the folder is a test case.
 */
import { objectsOf } from '@muster/common-job-controller';
import { rayClusterDefinition, type RayCluster } from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { rayClusterAdapter } from './ray-cluster-adapter.ts';

const KIND: ObjectsOfKind<RayCluster> = {
  definition: rayClusterDefinition,
  objectsOf: (cluster, settings) => objectsOf(rayClusterAdapter({ operatorNamespace: 'muster' }), cluster, settings),
};

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../../examples/ray/upstream-forms/', import.meta.url),
  golden: new URL('../../golden/upstream-forms/', import.meta.url),
  // The Services are the cluster's own in both modes.
  serviceModes: ['PerJob'],
});
