/** The objects of a RayService beside its cluster, for `muster plan`. */
import { ownerReference } from '@muster/common-job-controller';
import { RAY_SERVICES, type KubeObject, type RayCluster, type RayService } from '@muster/job-api';
import { clusterModel, type RaySettings } from '../cluster/ray-settings.ts';
import { routedObjects } from './incremental-objects.ts';
import { INCREMENTAL, WHOLE } from './incremental-upgrade.ts';
import { serviceLabels } from './service-names.ts';
import { servicesFor } from './service-services.ts';

/** As created when the applications run on `cluster`. The manifest is valid, as stored. */
export function servicesWhenReady(
  { metadata, spec }: RayService,
  cluster: RayCluster,
  settings: RaySettings,
): KubeObject[] {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  const service = { name, namespace, spec };
  const [head, serve] = servicesFor(service, clusterModel(cluster, settings));
  const isIncremental = spec.upgradeStrategy?.type === INCREMENTAL;
  const routed = isIncremental ? routedObjects(service, [{ cluster, weight: WHOLE.trafficRoutedPercent }]) : undefined;
  const objects: KubeObject[] = [head!, ...(routed === undefined ? [serve!] : Object.values(routed).flat())];
  const owner = ownerReference({ resource: RAY_SERVICES, metadata: { name, namespace, uid } });
  return objects.map((object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...object.metadata?.labels, ...serviceLabels(name) },
      ownerReferences: [owner],
    },
  }));
}
