import { VOLCANO_JOBS, type KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ownerKeysOf } from '../reconcile/observe.ts';
import { isFromEarlierJob } from './ownership.ts';

const job = { resource: VOLCANO_JOBS, metadata: { name: 'train', namespace: 'team', uid: 'new' } };

function ownedBy(apiVersion: string): KubeObject {
  const owner = { apiVersion, kind: 'Job', name: 'train', uid: 'old', controller: true };
  return { metadata: { name: 'train-worker-0', namespace: 'team', ownerReferences: [owner] } };
}

describe("isFromEarlierJob and ownerKeysOf, with an owner of the job's kind and name", () => {
  it.each<[what: string, apiVersion: string, expected: boolean]>([
    ['match the same API group and version', 'batch.volcano.sh/v1alpha1', true],
    ['match another version of the group', 'batch.volcano.sh/v1', true],
    ['do not match another group', 'batch/v1', false],
    ['do not match the core group', 'v1', false],
  ])('%s', (_what, apiVersion, expected) => {
    expect(isFromEarlierJob(ownedBy(apiVersion), job)).toBe(expected);
    expect(ownerKeysOf(job)(ownedBy(apiVersion))).toEqual(expected ? ['team/train'] : []);
  });
});
