/**
 * `npm run campaign`: random jobs under random faults on a local cluster, with invariants that are checked from the outside. Exits 1 on a
 * violation, with the command that repeats the run. `npm run soak`: a steady load without faults, under which nothing may grow.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClusterError, InterruptedError, terminalProgress } from '@muster/cluster';
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { type FaultName, FAULTS } from './faults/random-faults.ts';
import { CAMPAIGN_KINDS, isKindName, isSelected } from './load/all-kinds.ts';
import { lineOf, type MutantResult, runMutants } from './mutants/run-mutants.ts';
import { addToPage } from './page/add-to-page.ts';
import { commandOf, reportOf } from './run/report.ts';
import { recordsOf } from './run/records.ts';
import { onCampaignCluster, runCampaign, type RunSettings } from './run/run-campaign.ts';
import { shrink } from './run/shrink.ts';
import { soakCommand, soakFailures, soakReport } from './soak/report.ts';
import { runSoak, SOAK_API_SERVER_ARGUMENTS } from './soak/run-soak.ts';

const MOST_RUNS_OF_A_SHRINK = 20;
const REPORTS = join(import.meta.dirname, '../../../reports/campaign');

const USAGE = `usage: npm run campaign -- [options]
Runs random jobs under random faults on a local cluster, and checks the invariants from the outside.
  --seed NUMBER        of jobs and faults; default: random
  --minutes NUMBER     of jobs and faults; default 1
  --kinds LIST         frameworks, kinds such as RayJob, or volcano, separated by commas; default: all
  --faults LIST        default: all (${Object.keys(FAULTS).join(', ')})
  --hours NUMBER       instead of --minutes
  --jobs NUMBER        default: 40 a minute
  --jobs-per-minute N  instead of --jobs
  --most-pods NUMBER   the largest job; default 20
  --previous REF       the version for rolling-upgrade and rollback: a commit, branch or tag; default: the newest release
                       before this commit, or before the first release the last commit of the day before
  --large              one job in twelve has 50 to 500 pods
  --kueue              three jobs of four are queued by the real Kueue (as root; its first build takes minutes)
  --only LIST          only these faults of the schedule, by index
  --cluster NAME       default: campaign
  --shrink             after a violation, finds a shorter schedule of faults that fails
  --page               adds the result to docs/reliability.md
  --mutants [NUMBER…]  instead: checks that deliberate defects of the engine are detected, with --seed (default 1)
  --soak               instead: jobs come and go without faults, and nothing of the operators or the API server may grow;
                       npm run soak -- is the same`;

async function main(args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: OPTIONS,
    strict: true,
    allowPositionals: true,
  });
  if (values.help === true) return console.log(USAGE);
  const settings = settingsOf(values);
  const cluster = values.cluster ?? 'campaign';
  mkdirSync(REPORTS, { recursive: true });
  if (values.mutants === true) {
    return runAllMutants({ seed: settings.seed, cluster, isForPage: values.page === true }, positionals.map(Number));
  }
  if (values.soak === true) return soakOnce(settings, cluster, values.page === true);
  const progress = terminalProgress();
  const run = (own: RunSettings) =>
    onCampaignCluster(cluster, progress, (running) => runCampaign(running, own, progress));
  const result = await run(settings);
  const file = join(REPORTS, `seed-${settings.seed}.json`);
  writeFileSync(file, JSON.stringify(result, undefined, 2));
  console.log(reportOf(result));
  console.log(`The result is in ${file}.`);
  if (values.page === true) await addToPage({ result });
  if (result.violations.length === 0) return;
  for (const line of recordsOf(settings.folder, result.violations)) console.log(line);
  console.log(`To repeat the run: ${commandOf(settings, result.previous)}`);
  process.exitCode = 1;
  if (values.shrink !== true) return;
  const violated = new Set(result.violations.map(({ invariant }) => invariant));
  const indexes = result.faults.map(({ index }) => index);
  const least = await shrink(
    indexes,
    async (only) => {
      const part = await run({ ...settings, only, folder: `${settings.folder}-shrunk` });
      const fails = part.violations.some(({ invariant }) => violated.has(invariant));
      console.log(`with the faults ${only.join(',') || '(none)'}: ${fails ? 'a violation' : 'no violation'}`);
      return fails;
    },
    MOST_RUNS_OF_A_SHRINK,
  );
  console.log(`The shortest schedule that fails: ${commandOf({ ...settings, only: least }, result.previous)}`);
}

async function soakOnce(settings: RunSettings, cluster: string, isForPage: boolean): Promise<void> {
  const progress = terminalProgress();
  const own = { ...settings, folder: join(REPORTS, `soak-${settings.seed}`) };
  const soak = await onCampaignCluster(
    cluster,
    progress,
    (running) => runSoak(running, own, progress),
    SOAK_API_SERVER_ARGUMENTS,
  );
  const file = `${own.folder}.json`;
  writeFileSync(file, JSON.stringify(soak, undefined, 2));
  console.log(soakReport(soak));
  console.log(`The result with all samples is in ${file}.`);
  if (isForPage) await addToPage({ soak });
  if (soakFailures(soak).length === 0) return;
  console.log(`To repeat the soak: ${soakCommand(settings)}`);
  process.exitCode = 1;
}

async function runAllMutants(
  { seed, cluster, isForPage }: { readonly seed: number; readonly cluster: string; readonly isForPage: boolean },
  numbers: readonly number[],
): Promise<void> {
  const folder = join(REPORTS, `mutants-${cluster}`);
  mkdirSync(folder, { recursive: true });
  const keep = (results: readonly MutantResult[]) =>
    writeFileSync(join(folder, 'results.json'), JSON.stringify(results, undefined, 2));
  const mutants = await runMutants({ seed, folder, cluster }, numbers, terminalProgress(), keep);
  if (isForPage) await addToPage({ mutants });
  for (const mutant of mutants) console.log(lineOf(mutant));
  const missed = mutants.filter(({ isDetected }) => !isDetected).length;
  console.log(`${mutants.length - missed} of ${mutants.length} mutants are detected`);
  if (missed > 0) process.exitCode = 1;
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  seed: { type: 'string' },
  minutes: { type: 'string' },
  hours: { type: 'string' },
  kinds: { type: 'string' },
  faults: { type: 'string' },
  jobs: { type: 'string' },
  'jobs-per-minute': { type: 'string' },
  'most-pods': { type: 'string' },
  previous: { type: 'string' },
  only: { type: 'string' },
  cluster: { type: 'string' },
  large: { type: 'boolean' },
  kueue: { type: 'boolean' },
  shrink: { type: 'boolean' },
  page: { type: 'boolean' },
  mutants: { type: 'boolean' },
  soak: { type: 'boolean' },
} as const;

type Switch = 'help' | 'large' | 'kueue' | 'shrink' | 'page' | 'mutants' | 'soak';

type Values = {
  readonly [option in Exclude<keyof typeof OPTIONS, Switch>]?: string;
} & { readonly mutants?: boolean; readonly large?: boolean; readonly kueue?: boolean };

function settingsOf(values: Values): RunSettings {
  const seed =
    numberOf(values, 'seed') ?? (values.mutants === true ? 1 : undefined) ?? Math.floor(Math.random() * 2 ** 31);
  const hours = numberOf(values, 'hours');
  const minutes = hours === undefined ? (numberOf(values, 'minutes') ?? 1) : hours * 60;
  const kinds = listOf(values.kinds) ?? Object.keys(FRAMEWORKS);
  const hasQueues = values.kueue === true;
  const faults = listOf(values.faults) ?? Object.keys(FAULTS).filter((name) => hasQueues || name !== 'queue-quota');
  const unknown = [
    ...kinds.filter((name) => !isKindName(name)),
    ...faults.filter((name) => !Object.hasOwn(FAULTS, name)),
  ];
  if (unknown.length > 0) throw new UsageError(`unknown: ${unknown.join(', ')}\n${USAGE}`);
  return {
    ...{ seed, minutes, frameworks: frameworksOf(kinds), kinds, faults: faults as FaultName[] },
    jobs: numberOf(values, 'jobs') ?? Math.ceil((numberOf(values, 'jobs-per-minute') ?? 40) * minutes),
    mostPods: numberOf(values, 'most-pods') ?? 20,
    hasLarge: values.large === true,
    hasQueues,
    folder: join(REPORTS, `seed-${seed}`),
    ...(values.previous !== undefined && { previous: values.previous }),
    ...(values.only !== undefined && { only: (listOf(values.only) ?? []).map(Number) }),
  };
}

function frameworksOf(kinds: readonly string[]): FrameworkName[] {
  return [...new Set(CAMPAIGN_KINDS.filter((kind) => isSelected(kind, kinds)).map(({ framework }) => framework))];
}

function numberOf(values: Values, option: Exclude<keyof Values, 'mutants' | 'large' | 'kueue'>): number | undefined {
  const text = values[option];
  if (text === undefined) return undefined;
  if (!(Number(text) >= 0)) throw new UsageError(`--${option} ${text}: write a number\n${USAGE}`);
  return Number(text);
}

function listOf(text: string | undefined): string[] | undefined {
  return text?.split(',').filter((part) => part !== '');
}

class UsageError extends Error {}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof InterruptedError) {
    console.error(error.message);
    // The run goes on otherwise, without its cluster.
    process.exit(error.exitCode);
  }
  if (!(error instanceof ClusterError || error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
