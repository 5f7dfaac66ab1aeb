import { describe, expect, it } from 'vitest';
import { NO_RULES, role, trainingJob } from '../../test-support/training-job.ts';
import { VOLCANO } from './volcano.ts';

const MODE = 'volcano.sh/network-topology-mode';
const TIER = 'volcano.sh/network-topology-highest-tier';
const SIZE = { minMember: 2, minResources: undefined };

type Parts = NonNullable<Parameters<typeof trainingJob>[1]>;

const jobOf = (parts: Parts) => trainingJob([role('Worker', 2)], parts);
const groupOf = (parts: Parts) => VOLCANO.groups.desired(jobOf(parts), SIZE);

describe("the network topology of Volcano's group", () => {
  it.each<{ name: string; parts: Parts; topology: object | undefined }>([
    { name: 'nothing', parts: {}, topology: undefined },
    { name: 'a mode', parts: { annotations: { [MODE]: 'soft' } }, topology: { mode: 'soft' } },
    {
      name: 'a mode and a tier',
      parts: { annotations: { [MODE]: 'hard', [TIER]: '2' } },
      topology: { mode: 'hard', highestTierAllowed: 2 },
    },
    {
      name: "both by KubeRay's labels",
      parts: { labels: { [MODE]: 'hard', [`${TIER}-allowed`]: '1' } },
      topology: { mode: 'hard', highestTierAllowed: 1 },
    },
  ])('is $name, as the job says it', ({ parts, topology }) => {
    expect(groupOf(parts).spec?.networkTopology).toEqual(topology);
    expect(VOLCANO.shortcoming?.(jobOf(parts), NO_RULES)).toBeUndefined();
  });

  it.each([
    { annotations: { [MODE]: 'near' }, says: `${MODE} is near, and has to be hard or soft, so the pods` },
    { annotations: { [MODE]: 'hard', [TIER]: 'two' }, says: `${TIER} is two, and has to be a whole number` },
    { annotations: { [TIER]: '2' }, says: `${TIER} has no meaning without ${MODE}, so the pods` },
  ])('is left out where it would be refused, and the job is told: $says', ({ annotations, says }) => {
    expect(groupOf({ annotations }).spec).not.toHaveProperty('networkTopology');
    expect(VOLCANO.shortcoming?.(jobOf({ annotations }), NO_RULES)).toContain(says);
  });

  it('follows the job, and is left alone where the job says nothing', () => {
    const near = groupOf({ annotations: { [MODE]: 'hard', [TIER]: '2' } });
    const nearer = groupOf({ annotations: { [MODE]: 'hard', [TIER]: '1' } });
    expect(VOLCANO.groups.change(near, nearer)).toMatchObject({ spec: { networkTopology: { highestTierAllowed: 1 } } });
    expect(VOLCANO.groups.change(near, groupOf({}))).toBeUndefined();
  });
});
