import { VOLCANO_JOBS, type KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ownerKeysOf } from '../reconcile/observe.ts';
import { isLeftover } from './ownership.ts';

const job = { resource: VOLCANO_JOBS, metadata: { name: 'train', namespace: 'team', uid: 'new' } };

function ownedBy(apiVersion: string): KubeObject {
  const owner = { apiVersion, kind: 'Job', name: 'train', uid: 'old', controller: true };
  return { metadata: { name: 'train-worker-0', namespace: 'team', ownerReferences: [owner] } };
}

describe('an object whose owner has the kind and the name of a job', () => {
  it.each<[what: string, apiVersion: string, isTheirs: boolean]>([
    ['is of a job of that name', 'batch.volcano.sh/v1alpha1', true],
    ['is of one in another version', 'batch.volcano.sh/v1', true],
    ['is not of it where the group is another', 'batch/v1', false],
    ['is not of it where the group is the core', 'v1', false],
  ])('%s', (_what, apiVersion, isTheirs) => {
    expect(isLeftover(ownedBy(apiVersion), job)).toBe(isTheirs);
    expect(ownerKeysOf(job)(ownedBy(apiVersion))).toEqual(isTheirs ? ['team/train'] : []);
  });
});
