/** A few manifests of each kind. `npm run specs` judges thousands. */
import { describe, expect, it } from 'vitest';
import { runCampaign } from '../../test-support/specs/campaign.ts';
import { SOURCES } from '../../test-support/specs/manifest-arbitrary.ts';
import { specKinds } from '../../test-support/specs/spec-kind.ts';

const KINDS = specKinds();

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('a manifest of %s', (_name, kind) => {
  it.each(SOURCES)('is refused with the path of a field, or is run and reports its state, if it is %s', (source) => {
    const { failures, outcomes } = runCampaign(kind, source, { seed: 1, count: 50 });
    expect(failures).toEqual([]);
    expect(outcomes.refused).toBeGreaterThan(0);
    expect(outcomes.refused).toBeLessThan(50);
  });
});

it('has examples of each version and framework', () => {
  expect(KINDS.map(({ name }) => name)).toEqual([
    ...['JAXJob', 'MPIJob-v1', 'MPIJob-v1alpha1', 'MPIJob-v2beta1', 'MXJob', 'PaddleJob', 'PyTorchJob', 'RayCluster'],
    ...['RayCronJob', 'RayJob', 'RayService', 'TFJob', 'VolcanoJob-mpi', 'VolcanoJob-mxnet', 'VolcanoJob-pytorch'],
    ...['VolcanoJob-ray', 'VolcanoJob-tensorflow', 'XGBoostJob'],
  ]);
});
