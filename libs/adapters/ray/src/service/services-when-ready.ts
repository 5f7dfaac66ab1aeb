/** The Services of a RayService, for `muster plan`. */
import { ownerReference } from '@muster/common-job-controller';
import { RAY_SERVICES, type RayCluster, type RayService, type Service } from '@muster/job-api';
import { clusterModel, type RaySettings } from '../cluster/ray-settings.ts';
import { servicesFor } from './service-services.ts';

/** As created when the applications run on `cluster`. The manifest is valid, as stored. */
export function servicesWhenReady(
  { metadata, spec }: RayService,
  cluster: RayCluster,
  settings: RaySettings,
): Service[] {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  const owner = ownerReference({ resource: RAY_SERVICES, metadata: { name, namespace, uid } });
  return servicesFor({ name, namespace, spec }, clusterModel(cluster, settings)).map((service) => ({
    ...service,
    metadata: { ...service.metadata, ownerReferences: [owner] },
  }));
}
