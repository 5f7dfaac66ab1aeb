import { describe, expect, it } from 'vitest';
import { NO_RULES, role, trainingJob } from '../../test-support/training-job.ts';
import { VOLCANO } from './volcano.ts';

const MODE = 'volcano.sh/network-topology-mode';
const TIER = 'volcano.sh/network-topology-highest-tier';
const SIZE = { minMember: 2, minResources: undefined };

type Parts = NonNullable<Parameters<typeof trainingJob>[1]>;

const jobOf = (parts: Parts) => trainingJob([role('Worker', 2)], parts);
const groupOf = (parts: Parts) => VOLCANO.groups.desired(jobOf(parts), SIZE);

describe("the network topology in Volcano's PodGroup", () => {
  it.each<{ name: string; parts: Parts; topology: object | undefined }>([
    { name: 'nothing', parts: {}, topology: undefined },
    { name: 'a mode', parts: { annotations: { [MODE]: 'soft' } }, topology: { mode: 'soft' } },
    {
      name: 'a mode and a tier',
      parts: { annotations: { [MODE]: 'hard', [TIER]: '2' } },
      topology: { mode: 'hard', highestTierAllowed: 2 },
    },
    {
      name: "a mode and a tier by KubeRay's labels",
      parts: { labels: { [MODE]: 'hard', [`${TIER}-allowed`]: '1' } },
      topology: { mode: 'hard', highestTierAllowed: 1 },
    },
  ])('has $name of the job', ({ parts, topology }) => {
    expect(groupOf(parts).spec?.networkTopology).toEqual(topology);
    expect(VOLCANO.shortcoming?.(jobOf(parts), NO_RULES)).toBeUndefined();
  });

  it.each([
    { annotations: { [MODE]: 'near' }, expected: `${MODE} is near, but must be hard or soft, so the network` },
    { annotations: { [MODE]: 'hard', [TIER]: 'two' }, expected: `${TIER} is two, but must be an integer` },
    { annotations: { [TIER]: '2' }, expected: `${TIER} has no effect without ${MODE}, so the network` },
  ])('is omitted and reported if Volcano would refuse it: $expected', ({ annotations, expected }) => {
    expect(groupOf({ annotations }).spec).not.toHaveProperty('networkTopology');
    expect(VOLCANO.shortcoming?.(jobOf({ annotations }), NO_RULES)).toContain(expected);
  });

  it('follows the job, and is not changed if the job does not set it', () => {
    const near = groupOf({ annotations: { [MODE]: 'hard', [TIER]: '2' } });
    const nearer = groupOf({ annotations: { [MODE]: 'hard', [TIER]: '1' } });
    expect(VOLCANO.groups.change(near, nearer)).toMatchObject({ spec: { networkTopology: { highestTierAllowed: 1 } } });
    expect(VOLCANO.groups.change(near, groupOf({}))).toBeUndefined();
  });
});
