/**
 * Objects of RayJobs: the cluster, its objects, and the submitter Job once the cluster is ready. The golden files were
 * compared by hand with KubeRay's rules; docs/administrators/differences/rayjob.md lists the differences. A manifest in the folder is
 * a test case.
 */
import { objectsOf } from '@muster/common-job-controller';
import {
  admitted,
  RAY_CLUSTERS,
  rayClusterDefinition,
  rayJobDefinition,
  type KubeObject,
  type RayCluster,
  type RayJob,
} from '@muster/job-api';
import { describeGoldenObjects, manifestsIn, type ObjectsOfKind } from '@muster/testing';
import { rayClusterAdapter } from '../cluster/ray-cluster-adapter.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';
import { rayJobAdapter } from './ray-job-adapter.ts';
import { submitterWhenReady } from './submitter-when-ready.ts';

const FORMS = new URL('../../../../../examples/ray/upstream-forms/', import.meta.url);

const KIND: ObjectsOfKind<RayJob> = {
  definition: rayJobDefinition,
  objectsOf(job, settings) {
    const own = objectsOf(rayJobAdapter(), job, settings);
    const cluster = own.find(({ kind }) => kind === RAY_CLUSTERS.kind) as RayCluster | undefined;
    const submitter = submitterWhenReady(job, cluster ?? selectedBy(job));
    return [...own, ...(cluster ? objectsOfCluster(cluster, settings) : []), ...(submitter ? [submitter] : [])];
  },
};

function objectsOfCluster(cluster: RayCluster, settings: Parameters<typeof KIND.objectsOf>[1]): KubeObject[] {
  const stored = admitted(rayClusterDefinition, cluster);
  const metadata = { ...stored.metadata, uid: '22222222-3333-4444-5555-666666666666', generation: 1 };
  return objectsOf(rayClusterAdapter(), { ...stored, metadata }, settings);
}

/** From the manifests in the same folder. */
function selectedBy({ metadata, spec }: RayJob): RayCluster {
  const name = spec.clusterSelector?.[RAY_LABELS.cluster] ?? '';
  const cluster = admitted(rayClusterDefinition, manifestsIn(FORMS).get(name)!);
  return { ...cluster, metadata: { ...cluster.metadata, namespace: metadata?.namespace ?? '' } };
}

describeGoldenObjects(KIND, {
  manifests: new URL('rayjob/', FORMS),
  golden: new URL('../../golden/upstream-forms/rayjob/', import.meta.url),
  // The Services are the cluster's own in both modes.
  serviceModes: ['PerJob'],
});
