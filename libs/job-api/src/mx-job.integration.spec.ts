import { testCluster } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { describeAdmission } from '../test-support/describe-admission.ts';
import { MX_ADMISSION } from '../test/mx-job-cases.ts';
import { MX_CONTAINER, MX_JOBS } from './mx-job.ts';

const cluster = await testCluster();

describeAdmission(MX_ADMISSION, cluster);

describe('a role that is added to a job', () => {
  const one = { template: { spec: { containers: [{ name: MX_CONTAINER, image: 'registry.example/train:1' }] } } };

  it('is rejected if the names of its pods would be too long, and only then', async () => {
    const { client } = cluster;
    const namespace = await cluster.namespace();
    const name = 'm'.repeat(63 - '-scheduler-0'.length);
    const spec = { runPolicy: { suspend: false }, jobMode: 'MXTrain' as const, mxReplicaSpecs: { Worker: one } };
    await client.create(MX_JOBS, { metadata: { name, namespace }, spec });
    const added = (role: string) =>
      client.patch(MX_JOBS, { namespace, name }, { spec: { mxReplicaSpecs: { [role]: one } } });
    await expect(added('Scheduler')).resolves.toBeDefined();
    await expect(added('TunerTracker')).rejects.toThrow('metadata.name is too long');
  });
});
