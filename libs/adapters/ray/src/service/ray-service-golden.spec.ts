/**
 * Objects of RayServices: the cluster, its objects, and the Services once the applications run. The golden files were
 * compared by hand with KubeRay's rules; docs/administrators/differences/rayservice.md lists the differences. A manifest in the folder
 * is a test case.
 */
import { objectsOf } from '@muster/common-job-controller';
import {
  admitted,
  RAY_CLUSTERS,
  rayClusterDefinition,
  rayServiceDefinition,
  type RayCluster,
  type RayService,
} from '@muster/job-api';
import { describeGoldenObjects, type ObjectsOfKind } from '@muster/testing';
import { rayClusterAdapter } from '../cluster/ray-cluster-adapter.ts';
import { DEFAULT_RAY_SETTINGS } from '../cluster/ray-settings.ts';
import { rayServiceAdapter } from './ray-service-adapter.ts';
import { servicesWhenReady } from './services-when-ready.ts';

const KIND: ObjectsOfKind<RayService> = {
  definition: rayServiceDefinition,
  objectsOf(service, settings) {
    const own = objectsOf(rayServiceAdapter(), service, settings);
    const cluster = own.find(({ kind }) => kind === RAY_CLUSTERS.kind) as RayCluster;
    const stored = admitted(rayClusterDefinition, cluster);
    const metadata = { ...stored.metadata, uid: '22222222-3333-4444-5555-666666666666', generation: 1 };
    return [
      ...own,
      ...objectsOf(rayClusterAdapter(), { ...stored, metadata }, settings),
      ...servicesWhenReady(service, cluster, DEFAULT_RAY_SETTINGS),
    ];
  },
};

describeGoldenObjects(KIND, {
  manifests: new URL('../../../../../examples/ray/upstream-forms/rayservice/', import.meta.url),
  golden: new URL('../../golden/upstream-forms/rayservice/', import.meta.url),
  // The Services are the service's own in both modes.
  serviceModes: ['PerJob'],
});
