/** Runs the campaign against each mutant of the engine. */
import { join } from 'node:path';
import { bundleWithEdit } from '@muster/bundle';
import type { Progress } from '@muster/cluster';
import { onCampaignCluster, runCampaign, type RunSettings } from '../run/run-campaign.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

export interface MutantResult {
  readonly what: string;
  readonly file: string;
  readonly isDetected: boolean;
  /** The violated invariants. */
  readonly violated: readonly string[];
  /** Of the first violation of an expected invariant. */
  readonly message?: string;
  readonly seconds: number;
}

const FRAMEWORK = 'pytorch-elastic';
const SHORT: Omit<RunSettings, 'seed' | 'folder' | 'faults'> = {
  ...{ minutes: 0.5, frameworks: [FRAMEWORK], jobs: 24, mostPods: 8 },
  ...{ settleMs: 45_000, stopsAtFirst: true },
};

/** @param numbers of the mutants, from 1; empty: all */
export async function runMutants(
  { seed, folder, cluster }: { readonly seed: number; readonly folder: string; readonly cluster: string },
  numbers: readonly number[],
  progress: Progress,
): Promise<MutantResult[]> {
  const results: MutantResult[] = [];
  for (const [index, mutant] of MUTANTS.entries()) {
    if (numbers.length > 0 && !numbers.includes(index + 1)) continue;
    const own = join(folder, `mutant-${index + 1}`);
    const file = await bundleWithEdit(join(folder, `bundle-${index + 1}`), FRAMEWORK, mutant);
    const { faults = ['pod-failures', 'pod-deletions'] } = mutant;
    const settings: RunSettings = { ...SHORT, seed, folder: own, faults, bundleOf: () => Promise.resolve(file) };
    const result = await onCampaignCluster(cluster, progress, (running) => runCampaign(running, settings, progress));
    results.push(resultOf(mutant, result));
    console.error(lineOf(results.length, results.at(-1)));
  }
  return results;
}

function resultOf(
  mutant: Mutant,
  { violations, clusterMinutes }: Awaited<ReturnType<typeof runCampaign>>,
): MutantResult {
  const expected = violations.find(({ invariant }) => mutant.detectedBy.includes(invariant));
  return {
    ...{ what: mutant.what, file: mutant.file, isDetected: expected !== undefined },
    violated: [...new Set(violations.map(({ invariant }) => invariant))],
    ...(expected !== undefined && { message: `${expected.about} ${expected.message}` }),
    seconds: Math.round(clusterMinutes * 60),
  };
}

export function lineOf(number: number, result: MutantResult | undefined): string {
  if (result === undefined) return '';
  const { what, isDetected, violated, seconds } = result;
  return `${isDetected ? 'detected' : 'NOT DETECTED'} (${seconds} s): ${number}. ${what} [${violated.join(', ')}]`;
}
