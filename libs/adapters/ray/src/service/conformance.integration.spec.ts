import { crdFor, rayClusterDefinition } from '@muster/job-api';
import { describeConformance, installCrd, testCluster } from '@muster/testing';
import { beforeAll } from 'vitest';
import { rayServiceConformance } from '../../test-support/ray-service-conformance.ts';

const { client } = await testCluster();

beforeAll(() => installCrd(client, crdFor(rayClusterDefinition)));

await describeConformance(rayServiceConformance);
