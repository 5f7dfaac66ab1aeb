/**
 * `npm run bench -- <scenario>`: prints figures as JSON on standard output, and progress and tables on standard error. With `--page` it
 * also writes them to a page of Markdown, in place of earlier ones; the scenario `all` runs all scenarios of the page. `--quick` measures
 * no times: it runs a small load of each framework and fails if the counts of requests are wrong.
 *
 * Uses the cluster of $MUSTER_TEST_KUBECONFIG; without it, starts a simulated one and takes it down again.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { InterruptedError } from '@muster/cluster';
import { format, resolveConfig } from 'prettier';
import { inBenchNamespace, onBenchCluster } from './bench-cluster.ts';
import { benchmarkPage, NO_PAGE_DATA, resultTable, withResult, type PageData, type Result } from './page.ts';
import { chosenKind, type ChosenKind } from './kinds/chosen-kind.ts';
import { quickRun } from './quick/quick-run.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

/** The scenarios of the page. Those that others are compared with come first. */
const ALL: readonly string[] = ['idle', 'burst', 'small', 'scale', 'churn', 'storm', 'restart', 'elastic'];

interface Flags {
  readonly runs?: string | undefined;
  readonly framework?: string | undefined;
  readonly size?: string | undefined;
  readonly minutes?: string | undefined;
  readonly profiles?: string | undefined;
  readonly kind?: string | undefined;
  readonly 'operator-command'?: string | undefined;
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      framework: { type: 'string' },
      size: { type: 'string' },
      minutes: { type: 'string' },
      profiles: { type: 'string' },
      kind: { type: 'string' },
      'operator-command': { type: 'string' },
      page: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return console.log(await usage());
  if (values.quick) return quickly();
  const [name = ''] = positionals;
  const names = name === 'all' ? ALL : [name];
  if (names.length > 1 && values.size !== undefined)
    throw new UsageError(`--size ${values.size}: only with a single scenario, since each has its own unit.`);
  for (const each of names) {
    try {
      const result = await measured(each, values);
      if (values.page !== undefined) await writePage(values.page, result);
    } catch (error) {
      // One failed scenario must not lose the results of an hour.
      if (names.length === 1 || error instanceof InterruptedError) throw error;
      console.error(`${each}:`, error);
      process.exitCode = 1;
    }
  }
}

/** The page's data is stored beside it, as JSON. */
async function writePage(file: string, result: Result): Promise<void> {
  const kept = file.replace(/\.md$/, '.json');
  const before = existsSync(kept) ? (JSON.parse(await readFile(kept, 'utf8')) as PageData) : NO_PAGE_DATA;
  const day = new Date().toISOString().slice(0, 10);
  const data = withResult(before, result, { day, machine: MACHINE, order: ALL });
  await writeFormatted(kept, JSON.stringify(data));
  await writeFormatted(file, benchmarkPage(data));
}

async function writeFormatted(file: string, text: string): Promise<void> {
  await writeFile(file, await format(text, { ...(await resolveConfig(file)), filepath: file }));
}

async function quickly(): Promise<void> {
  const problems = await quickRun((line) => console.error(line));
  for (const problem of problems) console.error(`wrong count: ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
}

const MACHINE = { cpus: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };

/** Also prints the result. */
async function measured(name: string, flags: Flags): Promise<Result> {
  const load = SCENARIOS[name];
  if (load === undefined)
    throw new UsageError(`${name === '' ? 'Name a scenario' : `Unknown scenario "${name}"`}.\n${await usage()}`);
  const scenario = await load();
  const { defaults, summary } = scenario;
  const chosen = flags.kind === undefined ? undefined : await chosenKind(flags.kind);
  checkOperator(name, scenario, flags, chosen);
  const framework = chosen?.framework ?? flags.framework ?? defaults?.framework ?? 'pytorch-elastic';
  const runs = wholeNumber('runs', flags.runs ?? String(defaults?.runs ?? 5));
  if (flags.size !== undefined && defaults === undefined)
    throw new UsageError(`--size ${flags.size}: the scenario ${name} has a fixed size; leave it out.`);
  const size = wholeNumber('size', flags.size ?? String(defaults?.size ?? 1));
  if (flags.minutes !== undefined && defaults?.minutes === undefined)
    throw new UsageError(`--minutes ${flags.minutes}: the scenario ${name} has no set duration; leave it out.`);
  const minutes = wholeNumber('minutes', flags.minutes ?? String(defaults?.minutes ?? 1));
  const nodes = scenario.nodes?.(size);

  const loadBefore = round(loadavg());
  const figures = await onBenchCluster({ ...(nodes !== undefined && { nodes }) }, (cluster) =>
    inBenchNamespace(cluster, framework, async (place) =>
      scenario.run({
        ...place,
        ...{ runs, size, minutes, framework, profiles: flags.profiles },
        ...{ kind: await chosen?.on(place), operatorCommand: flags['operator-command'] },
        note: (line) => console.error(line),
      }),
    ),
  );
  const load1m5m15m = { before: loadBefore, after: round(loadavg()) };
  const printed = { scenario: name, framework, runs, machine: MACHINE, load1m5m15m, ...figures };
  console.log(JSON.stringify(printed, undefined, 2));
  const result = { scenario: name, summary, runs, figures };
  console.error(`\n${resultTable(result)}\n`);
  return result;
}

function checkOperator(name: string, scenario: Scenario, flags: Flags, chosen: ChosenKind | undefined): void {
  const command = flags['operator-command'];
  if ((chosen !== undefined || command !== undefined) && scenario.anyOperator !== true)
    throw new UsageError(
      `--kind and --operator-command: the scenario ${name} measures only Muster's operators; choose another.`,
    );
  if (chosen !== undefined && chosen.framework === undefined && command === undefined)
    throw new UsageError(`--kind ${flags.kind}: add --operator-command with the command of its operator.`);
}

class UsageError extends Error {}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${flag} ${text}: expected a whole number above 0.`);
  return value;
}

async function usage(): Promise<string> {
  const known = await Promise.all(
    Object.entries(SCENARIOS).map(async ([id, load]) => `  ${id}  ${(await load()).summary}`),
  );
  return `usage: npm run bench -- SCENARIO [OPTIONS]   measures a scenario: JSON on standard output, tables on standard error
       npm run bench -- --quick              checks the counts of requests, without measuring
  --runs NUMBER, --size NUMBER, --minutes NUMBER   the load, where the scenario supports it
  --framework NAME              the jobs' framework
  --kind NAME or FILE           the jobs' kind: one of Muster's, or a file with a manifest of another
  --operator-command COMMAND    the operator of that kind
  --profiles FOLDER             stores CPU profiles of the operator and the API server
  --page FILE                   also writes the figures to this page
Scenarios:
${known.join('\n')}
  all  ${ALL.join(', ')}, one after the other`;
}

function round(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toFixed(2)));
}

try {
  await main();
} catch (error) {
  const isExpected = error instanceof UsageError || error instanceof InterruptedError;
  console.error(isExpected ? error.message : error);
  // An interrupted run would continue without effect.
  if (error instanceof InterruptedError) process.exit(error.exitCode);
  process.exitCode = 1;
}
