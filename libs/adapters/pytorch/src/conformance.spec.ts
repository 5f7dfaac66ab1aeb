import { CONFORMANCE_TABLE, playedCases } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { pytorchConformance } from '../test-support/pytorch-conformance.ts';

describe('the conformance suite with PyTorchJob', () => {
  it('leaves no case out, so that each is played in every run of the tests', () => {
    expect(playedCases(pytorchConformance, 'chosen')).toEqual(CONFORMANCE_TABLE);
    expect(pytorchConformance).not.toHaveProperty('doesNotApply');
  });
});
