import { crdFor, rayClusterDefinition } from '@muster/job-api';
import { describeConformance, installCrd, testCluster } from '@muster/testing';
import { beforeAll } from 'vitest';
import { rayJobConformance } from '../../test-support/ray-job-conformance.ts';

const { client } = await testCluster();

beforeAll(() => installCrd(client, crdFor(rayClusterDefinition)));

await describeConformance(rayJobConformance(client));
