/** Figures as a page of Markdown, for people: what was measured beside its floor, and what it cost. */
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

interface DatedResult extends Result {
  readonly day: string;
  readonly machine: Machine;
}

/** A ratio to the floor, as it was on a day. */
interface PastRatio {
  readonly day: string;
  readonly machine: string;
  readonly scenario: string;
  readonly what: string;
  readonly ratio: number;
}

type Spread = Pick<Figure, 'median' | 'min' | 'max'> & Partial<Pick<Figure, 'floor'>>;

/** What a page is made of; it stands beside the page, as JSON. */
export interface PageData {
  /** The newest of each scenario. */
  readonly results: readonly DatedResult[];
  readonly history: readonly PastRatio[];
}

export const NO_PAGE_DATA: PageData = { results: [], history: [] };

/** With a scenario that was measured anew; the history keeps one measurement of a day. @param order of the scenarios on the page */
export function withResult(
  { results, history }: PageData,
  result: Result,
  { day, machine, order }: { day: string; machine: Machine; order: readonly string[] },
): PageData {
  const { scenario } = result;
  const others = results.filter((each) => each.scenario !== scenario);
  const rows = Object.entries(result.figures).flatMap(([name, value]): PastRatio[] =>
    isFigure(value)
      ? [{ day, machine: machineInWords(machine), scenario, what: inWords(name), ratio: value.ratio }]
      : [],
  );
  return {
    results: [...others, { ...result, day, machine }].toSorted(
      (a, b) => order.indexOf(a.scenario) - order.indexOf(b.scenario),
    ),
    history: [...history.filter((past) => past.scenario !== scenario || past.day !== day), ...rows],
  };
}

export function benchmarkPage({ results, history }: PageData): string {
  return `# Benchmarks

Made by \`npm run bench -- all --page docs/administrators/benchmarks.md\`. API server, etcd, controller manager, scheduler and simulated nodes run on one
machine: time is the sum of all that they do, so only ratios can be compared with another machine. The floor is the same
pods, created by a raw client 64 at a time and run as far, in turns with the operator in the same run. Figures are medians.
[How to measure, also another operator](../maintainers/benchmarks.md); [where the time goes and what was tried](../maintainers/speed.md).

## Time

${table(TIME_HEAD, results.flatMap(compared))}

## Goals

${table(GOAL_HEAD, results.flatMap(goals))}

## What it costs

${table(COST_HEAD, results.flatMap(spent))}

## What was measured

${table(
  ['scenario', 'measured', 'what'],
  results.map(({ scenario, day, machine, summary }) => [scenario, `${day}, ${machineInWords(machine)}`, summary]),
)}

## History

${table(
  ['day', 'machine', 'scenario', 'what', 'ratio to the floor'],
  history.map(({ day, machine, scenario, what, ratio }) => [day, machine, scenario, what, String(ratio)]),
)}
`;
}

function machineInWords({ cpus, memoryGiB, node }: Machine): string {
  return `${cpus} processors, ${memoryGiB} GiB, Node ${node}`;
}

const GOAL_HEAD = ['scenario', 'goal', 'met'];
const TIME_HEAD = ['scenario', 'what', 'runs', 'floor', 'Muster', 'ratio', 'goal'];
const COST_HEAD = ['scenario', 'what', 'median', 'least', 'most'];

/** For a terminal. */
export function resultTable(result: Result): string {
  const parts = [
    [TIME_HEAD, compared(result)],
    [COST_HEAD, spent(result)],
    [GOAL_HEAD, goals(result)],
  ] as const;
  return parts.flatMap(([head, rows]) => (rows.length === 0 ? [] : [table(head, rows)])).join('\n\n');
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
    if (isSpread(value)) {
      const beside = value.floor === undefined ? '' : `; floor ${value.floor}`;
      return [[scenario, inWords(name) + beside, String(value.median), String(value.min), String(value.max)]];
    }
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
