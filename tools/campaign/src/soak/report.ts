/** The result of a soak as text. */
import type { RunSettings } from '../run/run-campaign.ts';
import { inUnit } from './figures.ts';
import { type Comparison, nearestToLimit } from './growth.ts';
import type { SoakResult } from './run-soak.ts';

/** What makes the soak fail. */
export function soakFailures({
  comparisons,
  left,
  exits,
}: Pick<SoakResult, 'comparisons' | 'left' | 'exits'>): string[] {
  const grown = comparisons.filter(({ isGrowth }) => isGrowth);
  return [
    ...(comparisons.length === 0 ? ['the soak is too short: no figure has enough samples'] : []),
    ...grown.map((each) => `GROWTH: ${lineOf(each)}`),
    ...Object.entries(left).map(([what, count]) => `LEFT after all jobs were deleted: ${count} ${what}`),
    ...exits.map(({ replica, end }) => `ENDED by itself: ${replica} (${end})`),
  ];
}

export function soakReport(result: SoakResult): string {
  const { seed, minutes, jobs, comparisons, refused } = result;
  const failures = soakFailures(result);
  return [
    `soak of ${minutes} minutes with seed ${seed}: ${jobs} jobs`,
    ...(Object.keys(refused).length > 0 ? [`users were refused: ${JSON.stringify(refused)}`] : []),
    'medians of the first and the last third, of the process that is nearest to its limit:',
    ...nearestToLimit(comparisons).map((each) => `  ${lineOf(each)}`),
    ...failures,
    failures.length === 0 ? 'nothing grows' : `${failures.length} failures`,
  ].join('\n');
}

/** The command that repeats a soak. */
export function soakCommand(settings: RunSettings): string {
  const { seed, minutes, frameworks, kinds = frameworks, jobs, mostPods, hasLarge, hasQueues } = settings;
  const numbers = `--seed ${seed} --minutes ${minutes} --jobs ${jobs} --most-pods ${mostPods}`;
  const switches = `${hasLarge === true ? ' --large' : ''}${hasQueues === true ? ' --kueue' : ''}`;
  return `npm run soak -- ${numbers} --kinds ${kinds.join(',')}${switches}`;
}

function lineOf({ of, figure, first, last, limit }: Comparison): string {
  const [from, to, most] = [first, last, first + limit].map((value) => inUnit(figure, value));
  return `${figure} of ${of}: ${from} → ${to} (at most ${most})`;
}
