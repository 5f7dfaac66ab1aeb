import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { RAY_SERVICE_ADMISSION, serviceSpec } from '../test/ray-service-cases.ts';
import { RAY_SERVICES, type RayService } from './ray-service.ts';

const cluster = await testCluster();
const { client } = cluster;

describeAdmission(RAY_SERVICE_ADMISSION, cluster);

describe('changes to a RayService', () => {
  it('are accepted for every field but managedBy', async () => {
    const namespace = await cluster.namespace();
    const key = { namespace, name: 'changing' };
    await client.create(RAY_SERVICES, { metadata: key, spec: serviceSpec() } as RayService);
    const change = (spec: object) => client.patch(RAY_SERVICES, key, { spec });
    await expect(change({ managedBy: 'kueue.x-k8s.io/multikueue' })).rejects.toThrow('field is immutable');
    const spec = {
      serveConfigV2: 'applications: []',
      upgradeStrategy: { type: 'None' },
      suspend: true,
      rayClusterConfig: { rayVersion: '2.60.0' },
    };
    expect((await change(spec)).spec).toMatchObject(spec);
  });

  it('keep the status of KubeRay and fields that only Muster has', async () => {
    const namespace = await cluster.namespace();
    const key = { namespace, name: 'status' };
    await client.create(RAY_SERVICES, { metadata: key, spec: serviceSpec() } as RayService);
    const status = {
      serviceStatus: 'Running',
      numServeEndpoints: 2,
      activeServiceStatus: {
        rayClusterName: 'status-bcdfg',
        rayClusterStatus: { state: 'ready', head: { podIP: '10.0.0.1' } },
        applicationStatuses: {
          fruit: { status: 'RUNNING', serveDeploymentStatuses: { Mango: { status: 'HEALTHY', message: '' } } },
        },
        targetCapacity: 100,
        trafficRoutedPercent: 100,
        submitted: { serveConfigV2: 'applications: []', number: 1, head: 'u-1/0' },
      },
      muster: { state: 'Running' },
    };
    expect((await client.patchStatus(RAY_SERVICES, key, { status })).status).toEqual(status);
  });
});
