/** Runs the campaign against each mutant of the engine. */
import { join } from 'node:path';
import { bundleWithEdit } from '@muster/bundle';
import type { Progress } from '@muster/cluster';
import { onCampaignCluster, runCampaign, type RunSettings } from '../run/run-campaign.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

export interface MutantResult {
  /** From 1. */
  readonly number: number;
  readonly what: string;
  readonly file: string;
  readonly isDetected: boolean;
  /** The violated invariants. */
  readonly violated: readonly string[];
  /** The first violation of each invariant. */
  readonly messages: readonly string[];
  readonly seconds: number;
}

const FRAMEWORK = 'pytorch-elastic';
const SHORT: Omit<RunSettings, 'seed' | 'folder'> = {
  ...{ minutes: 0.5, frameworks: [FRAMEWORK], jobs: 24, mostPods: 8 },
  ...{ faults: ['pod-failures', 'pod-deletions'], settleMs: 180_000, stopsAtFirst: true },
};

/**
 * A short run for each mutant, one after the other on one cluster. `onResult` gets all results so far after each, so an interrupted command
 * keeps them. @param numbers of the mutants, from 1; empty: all
 */
export async function runMutants(
  { seed, folder, cluster }: { readonly seed: number; readonly folder: string; readonly cluster: string },
  numbers: readonly number[],
  progress: Progress,
  onResult: (results: readonly MutantResult[]) => void = () => undefined,
): Promise<MutantResult[]> {
  return onCampaignCluster(cluster, progress, async (running) => {
    const results: MutantResult[] = [];
    for (const [index, mutant] of MUTANTS.entries()) {
      const number = index + 1;
      if (numbers.length > 0 && !numbers.includes(number)) continue;
      const { framework = FRAMEWORK, ...load } = mutant.load ?? {};
      const file = await bundleWithEdit(join(folder, `bundle-${number}`), framework, mutant);
      const where = { folder: join(folder, `mutant-${number}`), bundleOf: () => Promise.resolve(file) };
      const own = { seed, frameworks: [framework], ...load, ...where };
      const result = resultOf(number, mutant, await runCampaign(running, { ...SHORT, ...own }, progress));
      results.push(result);
      onResult(results);
      progress.note([lineOf(result), ...result.messages].join('\n  '));
    }
    return results;
  });
}

function resultOf(
  number: number,
  mutant: Mutant,
  { violations, clusterMinutes }: Awaited<ReturnType<typeof runCampaign>>,
): MutantResult {
  const expected = violations.find(({ invariant }) => mutant.detectedBy.includes(invariant));
  return {
    ...{ number, what: mutant.what, file: mutant.file, isDetected: expected !== undefined },
    violated: [...new Set(violations.map(({ invariant }) => invariant))],
    messages: [...Map.groupBy(violations, ({ invariant }) => invariant).values()].map(
      ([first]) => `${first?.invariant}: ${first?.about} ${first?.message}`,
    ),
    seconds: Math.round(clusterMinutes * 60),
  };
}

export function lineOf({ number, what, isDetected, violated, seconds }: MutantResult): string {
  return `${isDetected ? 'detected' : 'NOT DETECTED'} (${seconds} s): ${number}. ${what} [${violated.join(', ')}]`;
}

/** Those of a run in place of older ones of the same mutants, in the order of the list. Results of mutants that are no longer in it are left out. */
export function withMutants(before: readonly MutantResult[], added: readonly MutantResult[]): MutantResult[] {
  return MUTANTS.flatMap(({ what }, index) => {
    const result = [...added, ...before].find((each) => each.what === what);
    return result === undefined ? [] : [{ ...result, number: index + 1 }];
  });
}
