import { CONFORMANCE_TABLE, playedCases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

describe('the conformance suite with PyTorchJob', () => {
  it('excludes no case that workers alone can run, so that each case runs in every test run', () => {
    const played = { ...CONFORMANCE_TABLE, 'start order': [] };
    expect(playedCases(pytorchConformance, 'chosen')).toEqual(played);
    expect(pytorchConformance).not.toHaveProperty('doesNotApply');
  });
});
