import { describe, expect, it } from 'vitest';
import type { Change, StoredObject } from '../history/history.ts';
import { Reactions } from './reactions.ts';

const RESOURCE = 'mpijobs.kubeflow.org';
const without: StoredObject = { metadata: { name: 'a', uid: 'a' } };
const withStatus: StoredObject = { ...without, status: { conditions: [] } };

describe('the reaction to new jobs', () => {
  const change = (atMs: number, before?: StoredObject, after?: StoredObject, resource = RESOURCE): Change => ({
    ...{ revision: atMs, atMs, resource, namespace: 'team', name: 'a' },
    ...(before && { before }),
    ...(after && { after }),
  });

  it('is the time to the first status, and only once', () => {
    const reactions = new Reactions([RESOURCE]);
    reactions.note(change(1_000, undefined, without));
    reactions.note(change(1_100, without, without));
    reactions.note(change(1_250, without, withStatus));
    reactions.note(change(9_000, withStatus, withStatus));
    expect(reactions.take()).toEqual(new Map([[RESOURCE, 0.25]]));
    expect(reactions.take()).toEqual(new Map());
  });

  it('ignores jobs that are deleted before, and other resources', () => {
    const reactions = new Reactions([RESOURCE]);
    reactions.note(change(1_000, undefined, without));
    reactions.note(change(1_100, without));
    reactions.note(change(1_200, undefined, without, 'pods'));
    reactions.note(change(1_300, without, withStatus, 'pods'));
    expect(reactions.take()).toEqual(new Map());
  });
});
