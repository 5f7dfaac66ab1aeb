/** Figures as a page of Markdown, for people: what was measured beside its floor, and what it cost. */
import { curveSvg, type CurvePoint } from './curve-svg.ts';
import type { Figure } from './figure.ts';

export interface Machine {
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly node: string;
}

/** What a scenario has printed as JSON. */
export interface Result {
  readonly scenario: string;
  readonly summary: string;
  readonly runs: number;
  readonly figures: Readonly<Record<string, unknown>>;
}

type Spread = Pick<Figure, 'median' | 'min' | 'max'>;

/** A page, and the pictures that it shows, by their paths beside it. */
export interface Page {
  readonly text: string;
  readonly pictures: Readonly<Record<string, string>>;
}

const HISTORY = '## History';
const HISTORY_HEAD = ['day', 'machine', 'scenario', 'what', 'ratio to the floor'];

/**
 * @param day when it was measured
 * @param before the page as it was: its history goes on
 */
export function benchmarkPage(results: readonly Result[], machine: Machine, day: string, before = ''): Page {
  const pictures = Object.fromEntries(results.flatMap(pictureOf));
  const shown = Object.keys(pictures).map((path) => `![How time grows with the number of pods](${path})\n\n`);
  const text = `# Benchmarks

Made by \`npm run bench -- all --page <file>\` on ${day}, on ${machine.cpus} processors and ${machine.memoryGiB} GiB with Node ${machine.node}. API
server, etcd, controller manager, scheduler and simulated nodes ran on the same machine: time is the sum of all that they do, so only the
ratios can be compared with another machine. The floor is the same pods, created by a raw client 64 at a time and run as far, in turns
with the operator in the same run. Figures are medians. [How to measure, also another operator](maintainers/benchmarks.md).

## Time

${shown.join('')}${table(TIME_HEAD, results.flatMap(compared))}

## Goals

${table(['scenario', 'goal', 'met'], results.flatMap(goals))}

## What it costs

${table(COST_HEAD, results.flatMap(spent))}

${results.map(({ scenario, summary }) => `- \`${scenario}\`: ${summary}`).join('\n')}

${HISTORY}

${history(results, machine, day, before)}
`;
  return { text, pictures };
}

const TIME_HEAD = ['scenario', 'what', 'runs', 'floor', 'Muster', 'ratio', 'goal'];
const COST_HEAD = ['scenario', 'what', 'median', 'least', 'most'];

/** For a terminal. */
export function resultTable(result: Result): string {
  const parts = [
    [TIME_HEAD, compared(result)],
    [COST_HEAD, spent(result)],
    [['scenario', 'goal', 'met'], goals(result)],
  ] as const;
  return parts.flatMap(([head, rows]) => (rows.length === 0 ? [] : [table(head, rows)])).join('\n\n');
}

function pictureOf({ scenario, figures }: Result): [string, string][] {
  const points = figures['points'] as readonly CurvePoint[] | undefined;
  if (points === undefined) return [];
  const title = `${String(figures['pods'])} pods a job, until all run`;
  return [[`pictures/benchmark-${scenario}.svg`, curveSvg(title, points)]];
}

/** One row for each ratio of each day: what was measured anew on a day stands there once. */
function history(results: readonly Result[], { cpus, memoryGiB }: Machine, day: string, before: string): string {
  const rows = results.flatMap((result) =>
    compared(result).map(([scenario = '', what = '', , , , ratio = '']) => [
      ...[day, `${cpus} processors, ${memoryGiB} GiB`, scenario, what, ratio],
    ]),
  );
  const anew = new Set(results.map(({ scenario }) => scenario));
  const [, past = ''] = before.split(`${HISTORY}\n`);
  const kept = past
    .split('\n')
    .filter((line) => /^\| \d{4}-/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter(([itsDay, , scenario = '']) => itsDay !== day || !anew.has(scenario));
  return table(HISTORY_HEAD, [...kept, ...rows]);
}

function goals({ scenario, figures }: Result): string[][] {
  return Object.values({ here: figures, ...figures }).flatMap((value) =>
    Object.entries(Object((Object(value) as { goals?: unknown }).goals) as Record<string, boolean>).map(
      ([name, met]) => [scenario, inWords(name.replace(/Met$/, '')), met ? 'yes' : '**no**'],
    ),
  );
}

function compared({ scenario, runs, figures }: Result): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (!isFigure(value)) return [];
    const { floor, median, ratio, target, met } = value;
    const goal = target === undefined ? '' : `${(target / floor).toFixed(2)}${met === true ? '' : ', missed'}`;
    return [[scenario, inWords(name), String(runs), String(floor), String(median), String(ratio), goal]];
  });
}

function spent({ scenario, figures }: Result): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (isFigure(value) || Array.isArray(value)) return [];
    if (typeof value === 'number') return [[scenario, inWords(name), String(value), '', '']];
    if (isSpread(value)) return [[scenario, inWords(name), String(value.median), String(value.min), String(value.max)]];
    return Object.entries(Object(value) as Record<string, unknown>).flatMap(([part, inner]) => {
      // Requests one by one are in the JSON.
      if (/ /.test(part) && /(requests|writes)/i.test(name)) return [];
      if (typeof inner === 'number') return [[scenario, `${inWords(name)}, ${part}`, String(inner), '', '']];
      const { median, floor } = Object(inner) as Partial<Figure>;
      if (median === undefined || floor === undefined) return [];
      return [[scenario, `${inWords(name)}, ${part}; floor ${floor}`, String(median), '', '']];
    });
  });
}

function isFigure(value: unknown): value is Figure {
  return isSpread(value) && 'ratio' in value;
}

function isSpread(value: unknown): value is Spread {
  return typeof value === 'object' && value !== null && 'median' in value && 'min' in value;
}

/** `operatorCpuSeconds` becomes `operator CPU seconds`. */
function inWords(name: string): string {
  const words = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return words.replaceAll(/\b(cpu|mb)\b/g, (unit) => unit.toUpperCase());
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
