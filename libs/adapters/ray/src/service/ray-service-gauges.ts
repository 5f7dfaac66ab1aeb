import { type JobGauge } from '@muster/common-job-controller';
import { momentOf, type RayService } from '@muster/job-api';
import { RAY, RAY_SERVE } from '@muster/metrics';
import { rayGauge } from '../model/ray-gauge.ts';
import { conditionIn } from './service-record.ts';

export const RAY_SERVICE_GAUGES: readonly JobGauge<RayService>[] = [
  rayGauge(RAY.serviceInfo, (service: RayService) => [{ labels: labelsOf(service), value: 1 }]),
  rayGauge(RAY.serviceReady, (service: RayService) => [
    { labels: { ...labelsOf(service), condition: holds(service, 'Ready') }, value: 1 },
  ]),
  rayGauge(RAY.serviceUpgradeInProgress, (service: RayService) => [
    { labels: { ...labelsOf(service), condition: holds(service, 'UpgradeInProgress') }, value: 1 },
  ]),
  rayGauge(RAY_SERVE.endpoints, (service: RayService) => {
    const { spec }: Partial<Pick<RayService, 'spec'>> = service;
    if (spec?.suspend === true) return [];
    return [{ labels: ownLabelsOf(service), value: service.status?.numServeEndpoints ?? 0 }];
  }),
  rayGauge(RAY_SERVE.upgradeStart, (service: RayService) => {
    const upgrade = conditionIn(service.status?.conditions ?? [], 'UpgradeInProgress');
    const sinceMs = upgrade?.status === 'True' ? momentOf(upgrade.lastTransitionTime) : undefined;
    return sinceMs === undefined ? [] : [{ labels: ownLabelsOf(service), value: sinceMs / 1000 }];
  }),
];

function ownLabelsOf({ metadata }: RayService) {
  const { name = '', namespace = '' } = metadata ?? {};
  return { job_namespace: namespace, rayservice: name };
}

function labelsOf({ metadata }: RayService) {
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return { name, namespace, uid };
}

function holds({ status }: RayService, type: string): 'true' | 'false' {
  const found = status?.conditions?.find((each) => each.type === type);
  return found?.status === 'True' ? 'true' : 'false';
}
