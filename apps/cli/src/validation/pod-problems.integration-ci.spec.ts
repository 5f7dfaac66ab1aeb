import { PODS, type Pod } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { testCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { ACCEPTED_PODS, REFUSED_PODS, UNREADABLE_PODS } from '../../test-support/pod-cases.ts';

const cluster = await testCluster();
let namespace = '';
beforeAll(async () => {
  namespace = await cluster.namespace();
});

interface Written {
  readonly metadata?: object;
  readonly spec: object;
}

/** The answer of the API server to the pod, which is not stored; undefined if it accepts the pod. */
async function refusalOf({ metadata, spec }: Written): Promise<string | undefined> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'mnist', namespace, ...metadata }, spec };
  try {
    await cluster.client.create(PODS, pod as unknown as Pod, { dryRun: true });
    return undefined;
  } catch (error) {
    if (isKubeError(error)) return error.message;
    throw error;
  }
}

/** The API server names some lists and maps without the item, some resources without the kind of amount. */
const withoutItem = (path: string) => path.replace(/(\[[^\]]*\])+(\.(name|operator|hostPath|valueFrom))?$/, '');

describe.concurrent('an API server', () => {
  const isKnown = ({ sinceMinor = 0 }: { readonly sinceMinor?: number }) => cluster.minorVersion >= sinceMinor;

  it.each(REFUSED_PODS.filter(isKnown))('refuses a pod with $what', async ({ path, ...pod }) => {
    expect(await refusalOf(pod)).toContain(withoutItem(path));
  });

  it.each(UNREADABLE_PODS)('cannot read a pod with $what', async (pod) => {
    expect(await refusalOf(pod)).toMatch(/cannot be handled as a Pod|strict decoding error/);
  });

  it.each(ACCEPTED_PODS.filter(isKnown))('accepts a pod with $what', async (pod) => {
    expect(await refusalOf(pod)).toBeUndefined();
  });
});
