import { crdFor, rayJobDefinition } from '@muster/job-api';
import { describeConformance, installCrd, testCluster } from '@muster/testing';
import { beforeAll } from 'vitest';
import { rayCronJobConformance } from '../../test-support/ray-cron-job-conformance.ts';

const { client } = await testCluster();

beforeAll(() => installCrd(client, crdFor(rayJobDefinition)));

await describeConformance(rayCronJobConformance);
