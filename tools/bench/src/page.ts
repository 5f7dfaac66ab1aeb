/** Figures as a page of Markdown: measurements beside their floor, and costs. */
import type { Figure } from './figure.ts';

export interface Machine {
  readonly cpus: number;
  readonly memoryGiB: number;
  readonly node: string;
}

/** What a scenario prints as JSON. */
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

/** A ratio to the floor, on a day. */
interface PastRatio {
  readonly day: string;
  readonly machine: string;
  readonly scenario: string;
  readonly what: string;
  readonly ratio: number;
}

type Spread = Pick<Figure, 'median' | 'min' | 'max'> & Partial<Pick<Figure, 'floor'>>;

/** The data of a page, stored beside it as JSON. */
export interface PageData {
  /** The newest result of each scenario. */
  readonly results: readonly DatedResult[];
  readonly history: readonly PastRatio[];
}

export const NO_PAGE_DATA: PageData = { results: [], history: [] };

/** Replaces the result of a scenario; the history keeps one measurement a day. @param order of the scenarios on the page */
export function withResult(
  { results, history }: PageData,
  result: Result,
  { day, machine, order }: { day: string; machine: Machine; order: readonly string[] },
): PageData {
  const { scenario } = result;
  const others = results.filter((each) => each.scenario !== scenario);
  const rows = Object.entries(result.figures).flatMap(([name, value]): PastRatio[] =>
    isFigure(value) ? [{ day, machine: machineText(machine), scenario, what: spaced(name), ratio: value.ratio }] : [],
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

Made by \`npm run bench -- all --page docs/administrators/benchmarks.md\`. API server, etcd, controller manager, scheduler and simulated nodes share one
machine, so compare only ratios with another machine. The floor is the same number of pods, created by a raw client 64 at a time, until
they reach the same phase. It alternates with the operator in the same run. Figures are medians.
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
  results.map(({ scenario, day, machine, summary }) => [scenario, `${day}, ${machineText(machine)}`, summary]),
)}

## History

${table(
  ['day', 'machine', 'scenario', 'what', 'ratio to the floor'],
  history.map(({ day, machine, scenario, what, ratio }) => [day, machine, scenario, what, String(ratio)]),
)}
`;
}

function machineText({ cpus, memoryGiB, node }: Machine): string {
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
      ([name, met]) => [scenario, spaced(name.replace(/Met$/, '')), met ? 'yes' : '**no**'],
    ),
  );
}

function compared({ scenario, runs, figures }: Result): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (!isFigure(value)) return [];
    const { floor, median, ratio, target, met } = value;
    const goal = target === undefined ? '' : `${(target / floor).toFixed(2)}${met === true ? '' : ', missed'}`;
    return [[scenario, spaced(name), String(runs), String(floor), String(median), String(ratio), goal]];
  });
}

function spent({ scenario, figures }: Result): string[][] {
  return Object.entries(figures).flatMap(([name, value]) => {
    if (isFigure(value) || Array.isArray(value)) return [];
    if (typeof value === 'number') return [[scenario, spaced(name), String(value), '', '']];
    if (isSpread(value)) {
      const beside = value.floor === undefined ? '' : `; floor ${value.floor}`;
      return [[scenario, spaced(name) + beside, String(value.median), String(value.min), String(value.max)]];
    }
    return Object.entries(Object(value) as Record<string, unknown>).flatMap(([part, inner]) => {
      // Single requests are only in the JSON.
      if (/ /.test(part) && /(requests|writes)/i.test(name)) return [];
      if (typeof inner === 'number') return [[scenario, `${spaced(name)}, ${part}`, String(inner), '', '']];
      const { median, floor } = Object(inner) as Partial<Figure>;
      if (median === undefined || floor === undefined) return [];
      return [[scenario, `${spaced(name)}, ${part}; floor ${floor}`, String(median), '', '']];
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
function spaced(name: string): string {
  const text = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  return text.replaceAll(/\b(cpu|mb)\b/g, (unit) => unit.toUpperCase());
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
