import { SeededRandom } from '@muster/fault-injection';
import { FRAMEWORKS, problemsOf, volcanoJobDefinition } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { CAMPAIGN_KINDS, isSelected } from './all-kinds.ts';
import { manifestOf } from './kinds.ts';
import { type LoadSettings, randomLoad } from './random-load.ts';

const DEFINITIONS = [...Object.values(FRAMEWORKS).flat(), volcanoJobDefinition];
const SETTINGS: LoadSettings = {
  ...{ forMs: 60_000, jobs: 1_000, namespaces: 3, mostPods: 20, hasLarge: true, kinds: Object.keys(FRAMEWORKS) },
};
const loadOf = (settings: Partial<LoadSettings> = {}) => randomLoad(new SeededRandom(7), { ...SETTINGS, ...settings });

describe('randomLoad', () => {
  it('returns the same jobs for the same seed', () => {
    expect(loadOf()).toEqual(loadOf());
  });

  it('has jobs of every kind, and only manifests that the API accepts', () => {
    const load = loadOf();
    expect(new Set(load.map(({ kind }) => kind)).size).toBe(CAMPAIGN_KINDS.length);
    for (const { kind, name, shape } of load) {
      const definition = DEFINITIONS.find(
        ({ resource }) => resource.plural === kind.resource.plural && resource.group === kind.resource.group,
      );
      const manifest = manifestOf(kind, { name, namespace: 'team' }, shape);
      expect(definition && problemsOf(definition as never, manifest), JSON.stringify(manifest)).toEqual([]);
    }
  });

  it('selects jobs by framework, by kind, or all of Volcano', () => {
    const kindsOf = (...kinds: string[]) => new Set(loadOf({ kinds, jobs: 100 }).map(({ kind }) => kind.resource.kind));
    expect(kindsOf('ray')).toEqual(new Set(['RayCluster', 'RayJob', 'RayCronJob', 'RayService', 'Job']));
    expect(kindsOf('RayJob', 'JAXJob')).toEqual(new Set(['RayJob', 'JAXJob']));
    expect(CAMPAIGN_KINDS.filter((kind) => isSelected(kind, ['volcano']))).toHaveLength(5);
  });

  it('has jobs of 50 to 500 pods only if requested', () => {
    const largest = (hasLarge: boolean) => Math.max(...loadOf({ hasLarge }).map(({ shape }) => shape.pods));
    expect(largest(false)).toBeLessThanOrEqual(20);
    expect(largest(true)).toBeGreaterThan(400);
    expect(largest(true)).toBeLessThanOrEqual(500);
  });
});
