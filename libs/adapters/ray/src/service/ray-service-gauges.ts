import type { JobGauge } from '@muster/common-job-controller';
import type { RayService } from '@muster/job-api';
import { RAY } from '@muster/metrics';
import { rayGauge } from '../model/ray-gauge.ts';

export const RAY_SERVICE_GAUGES: readonly JobGauge<RayService>[] = [
  rayGauge(RAY.serviceInfo, (service: RayService) => [{ labels: labelsOf(service), value: 1 }]),
  rayGauge(RAY.serviceReady, (service: RayService) => [
    { labels: { ...labelsOf(service), condition: holds(service, 'Ready') }, value: 1 },
  ]),
  rayGauge(RAY.serviceUpgradeInProgress, (service: RayService) => [
    { labels: { ...labelsOf(service), condition: holds(service, 'UpgradeInProgress') }, value: 1 },
  ]),
];

function labelsOf({ metadata }: RayService) {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { name, namespace, uid };
}

function holds({ status }: RayService, type: string): 'true' | 'false' {
  const found = status?.conditions?.find((each) => each.type === type);
  return found?.status === 'True' ? 'true' : 'false';
}
