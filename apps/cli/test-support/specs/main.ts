/**
 * `npm run specs`: generates manifests of each kind and mutates its examples, and judges each without a cluster: see `judge.ts`. Prints a
 * row for each kind, and each failure with its smallest manifest and the command that repeats it. Exits 1 after a failure.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { addToPage } from '@muster/campaign/page';
import { manifestOf, runCampaign, type Failure, type Result } from './campaign.ts';
import { judge, surroundings } from './judge.ts';
import { SOURCES, type Source } from './manifest-arbitrary.ts';
import { specKinds, type SpecKind } from './spec-kind.ts';

const USAGE = `usage: npm run specs [-- <options>]
  --count <number>    manifests of each kind and source (default: 1000)
  --kind <name>       only this kind, for example PyTorchJob, MPIJob-v1 or VolcanoJob-mpi; may be repeated
  --source <name>     only generated or mutated manifests
  --seed <number>     default: 1
  --only <number>     only the manifest of this number, which is printed as well
  --json <file>       writes the results
  --record            adds the results to docs/reliability.md`;

interface Options {
  readonly count: number;
  readonly seed: number;
  readonly only: number | undefined;
  readonly kinds: readonly SpecKind[];
  readonly sources: readonly Source[];
  readonly json: string | undefined;
  readonly record: boolean;
}

async function main(args: readonly string[]): Promise<void> {
  const options = optionsOf(args);
  if (options === undefined) return console.log(USAGE);
  const { kinds, sources, only, json, record } = options;
  const results: Result[] = [];
  console.log(rowOf(HEADINGS));
  for (const kind of kinds) {
    for (const source of sources) {
      if (only !== undefined) printOne(kind, source, options);
      const result = runCampaign(kind, source, { ...options, ...(only !== undefined && { first: only, count: 1 }) });
      results.push(result);
      console.log(rowOf(cellsOf(result)));
      for (const failure of result.failures) console.log(textOf(failure));
      if (record) await addToPage({ manifests: [figuresOf(result)] });
    }
  }
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, undefined, 2)}\n`);
  const failed = results.reduce((sum, { failures }) => sum + failures.length, 0);
  console.log(failed === 0 ? 'No manifest failed.' : `${failed} causes of failures.`);
  if (failed > 0) process.exitCode = 1;
}

function optionsOf(args: readonly string[]): Options | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ count: text, seed: text, only: text, source: text, json: text },
      kind: { type: 'string', multiple: true },
      record: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  const all = specKinds();
  const names = values.kind ?? all.map(({ name }) => name);
  const unknown = names.find((name) => !all.some((kind) => kind.name === name));
  if (unknown !== undefined) throw new Error(`there is no kind ${unknown}: ${all.map(({ name }) => name).join(', ')}`);
  const sources = SOURCES.filter((source) => (values.source ?? source) === source);
  if (sources.length === 0) throw new Error(`--source is ${SOURCES.join(' or ')}`);
  return {
    count: numberOf(values.count, 'count') ?? 1000,
    seed: numberOf(values.seed, 'seed') ?? 1,
    only: numberOf(values.only, 'only'),
    kinds: all.filter(({ name }) => names.includes(name)),
    ...{ sources, json: values.json, record: values.record === true },
  };
}

function numberOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${option} must be a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function printOne(kind: SpecKind, source: Source, { seed, only = 0 }: Options): void {
  const manifest = manifestOf(kind, source, seed, only);
  console.log(JSON.stringify(manifest, undefined, 2));
  console.log(JSON.stringify(judge(kind, manifest, surroundings(only)), undefined, 2));
}

const HEADINGS = [
  'kind',
  'source',
  'manifests',
  'accepted',
  'refused',
  'invalid',
  'silent',
  'thrown',
  'other faults',
  'seconds',
];

const WIDTHS = [24, 10, 10, 9, 8, 8, 7, 7, 13, 8];

function rowOf(cells: readonly string[]): string {
  return cells.map((cell, at) => (at < 2 ? cell.padEnd(WIDTHS[at] ?? 0) : cell.padStart(WIDTHS[at] ?? 0))).join(' ');
}

function figuresOf({ kind, source, seed, count, outcomes, faults }: Result) {
  const { refused, invalid, ...accepted } = outcomes;
  return {
    ...{ kind, source, seed, manifests: count, refused, invalid },
    accepted: sum(Object.values(accepted)),
    failed: sum(Object.values(faults)),
  };
}

function cellsOf(result: Result): string[] {
  const { kind, source, manifests, refused, invalid, accepted } = figuresOf(result);
  const { silent = 0, thrown = 0, ...others } = result.faults;
  const numbers = [manifests, accepted, refused, invalid, silent, thrown, sum(Object.values(others)), result.seconds];
  return [kind, source, ...numbers.map(String)];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function textOf({ fault, detail, manifest, command }: Failure): string {
  return `  ${fault}: ${detail.slice(0, 600)}\n  ${JSON.stringify(manifest)}\n  repeat: ${command}`;
}

await main(process.argv.slice(2));
