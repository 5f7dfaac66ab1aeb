/**
 * `npm run bench -- <scenario>`: prints figures as JSON on standard output, and what it is doing on standard error.
 *
 * Works on the cluster of $MUSTER_TEST_KUBECONFIG; without that it brings a simulated one up and takes it down again.
 */
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { onBenchCluster } from './bench-cluster.ts';
import { SCENARIOS } from './scenarios.ts';

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      runs: { type: 'string' },
      framework: { type: 'string' },
      size: { type: 'string' },
      profiles: { type: 'string' },
    },
  });
  const [name = ''] = positionals;
  const load = SCENARIOS[name];
  if (load === undefined) throw new UsageError(await usage(name));
  const scenario = await load();
  const { defaults } = scenario;
  const framework = values.framework ?? defaults?.framework ?? 'pytorch-elastic';
  const runs = wholeNumber('runs', values.runs ?? String(defaults?.runs ?? 5));
  if (values.size !== undefined && defaults === undefined)
    throw new UsageError(`--size ${values.size}: the size of the scenario ${name} is fixed.`);
  const size = wholeNumber('size', values.size ?? String(defaults?.size ?? 1));
  const nodes = scenario.nodes?.(size);

  const machine = { cpus: cpus().length, memoryGiB: Math.round(totalmem() / 2 ** 30), node: process.version };
  const loadBefore = round(loadavg());
  const figures = await onBenchCluster({ framework, ...(nodes !== undefined && { nodes }) }, (place) =>
    scenario.run({ ...place, runs, size, framework, profiles: values.profiles, note: (line) => console.error(line) }),
  );
  const load1m5m15m = { before: loadBefore, after: round(loadavg()) };
  console.log(JSON.stringify({ scenario: name, framework, runs, machine, load1m5m15m, ...figures }, undefined, 2));
}

class UsageError extends Error {}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new UsageError(`--${flag} ${text}: expected a whole number above 0.`);
  return value;
}

async function usage(name: string): Promise<string> {
  const known = await Promise.all(
    Object.entries(SCENARIOS).map(async ([id, load]) => `  ${id}  ${(await load()).summary}`),
  );
  const problem = name === '' ? 'Name a scenario' : `Unknown scenario "${name}"`;
  return `${problem}; known are:\n${known.join('\n')}\nUsage: npm run bench -- <scenario> [--runs <number>] [--size <number>] [--framework <name>] [--profiles <folder>]`;
}

function round(values: readonly number[]): number[] {
  return values.map((value) => Number(value.toFixed(2)));
}

try {
  await main();
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = 1;
}
