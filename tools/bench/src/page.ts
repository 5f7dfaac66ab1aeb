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

type Spread = Pick<Figure, 'median' | 'min' | 'max'>;

/** @param day when it was measured */
export function benchmarkPage(results: readonly Result[], machine: Machine, day: string): string {
  const rows = results.flatMap(compared);
  const costs = results.flatMap(spent);
  return `# Benchmarks

Made by \`npm run bench -- all --page <file>\` on ${day}, on ${machine.cpus} processors and ${machine.memoryGiB} GiB with Node ${machine.node}. API
server, etcd, controller manager, scheduler and simulated nodes ran on the same machine: time is the sum of all that they do, so only the
ratios can be compared with another machine. The floor is the same pods, created by a raw client 64 at a time and run as far, in turns
with the operator in the same run. Figures are medians.

## Time

${table(['scenario', 'what', 'runs', 'floor', 'Muster', 'ratio', 'goal'], rows)}

## What it costs

${table(['scenario', 'what', 'median', 'least', 'most'], costs)}

${results.map(({ scenario, summary }) => `- \`${scenario}\`: ${summary}`).join('\n')}
`;
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
    if (isFigure(value)) return [];
    if (isSpread(value)) return [[scenario, inWords(name), String(value.median), String(value.min), String(value.max)]];
    return Object.entries(Object(value) as Record<string, unknown>).flatMap(([part, inner]) => {
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
