/** A few manifests of each kind. `npm run specs` judges thousands. */
import { describe, expect, it } from 'vitest';
import { runCampaign } from '../../test-support/specs/campaign.ts';
import { SOURCES } from '../../test-support/specs/manifest-arbitrary.ts';
import { specKinds } from '../../test-support/specs/spec-kind.ts';
import { KINDS as JOB_KINDS } from '../kinds.ts';
import { VOLCANO_PLUGINS } from '../planned-kinds.ts';

const KINDS = specKinds();

describe.each(KINDS.map((kind) => [kind.name, kind] as const))('a manifest of %s', (_name, kind) => {
  it.each(SOURCES)('is refused with the path of a field, or is run and reports its state, if it is %s', (source) => {
    const { failures, outcomes } = runCampaign(kind, source, { seed: 1, count: 50 });
    expect(failures).toEqual([]);
    expect(outcomes.refused).toBeGreaterThan(0);
    expect(outcomes.refused).toBeLessThan(50);
  });
});

it('has examples of each kind, version and Volcano plugin', () => {
  const own = JOB_KINDS.flatMap(({ definition }) => {
    const { kind } = definition.resource;
    return definition.versions?.map(({ name }) => `${kind}-${name}`) ?? [kind];
  });
  const ofPlugins = VOLCANO_PLUGINS.map(({ name }) => `VolcanoJob-${name}`);
  expect(KINDS.map(({ name }) => name).sort()).toEqual([...own, ...ofPlugins].sort());
});
