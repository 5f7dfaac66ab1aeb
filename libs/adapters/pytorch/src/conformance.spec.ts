import { CONFORMANCE_TABLE, playedCases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

describe('the conformance suite with PyTorchJob', () => {
  it('leaves no case out that workers alone can play, so that each is played in every run of the tests', () => {
    const played = { ...CONFORMANCE_TABLE, 'the order of start': [] };
    expect(playedCases(pytorchConformance, 'chosen')).toEqual(played);
    expect(pytorchConformance).not.toHaveProperty('doesNotApply');
  });
});
