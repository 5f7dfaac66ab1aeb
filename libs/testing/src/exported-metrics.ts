/** Compares metrics in Prometheus' text format with their declarations. */
import { METRICS, type MetricDeclaration } from '@muster/metrics';

interface Exported {
  readonly type: string;
  readonly help: string;
  /** The labels of each series, without `le`. */
  readonly series: readonly Readonly<Record<string, string>>[];
}

const DECLARED = new Map(METRICS.flatMap(({ metrics }) => Object.values(metrics)).map((each) => [each.name, each]));

/** Exported metrics in `text` that differ from their declaration or have none: one sentence each. */
export function undeclared(text: string): string[] {
  return [...exportedIn(text)].flatMap(([name, { type, help, series }]) => {
    const declared = DECLARED.get(name);
    if (declared === undefined) return [`${name} is not declared`];
    const wrong = series.flatMap((labels) => differences(declared, labels));
    return [
      ...(declared.type === type ? [] : [`${name} is a ${type}, declared as a ${declared.type}`]),
      ...(declared.help === help ? [] : [`${name} has another description: ${help}`]),
      ...new Set(wrong),
    ];
  });
}

/** The metrics that an operator of `framework` has to export from the start, and of which `text` has no series. */
export function missing(text: string, framework: string): string[] {
  const exported = exportedIn(text);
  return METRICS.filter((group) => group.framework === undefined || group.framework === framework)
    .flatMap(({ metrics }) => Object.values(metrics))
    .filter(({ name, appears }) => appears === undefined && (exported.get(name)?.series.length ?? 0) === 0)
    .map(({ name }) => name);
}

function differences({ name, labels, values = {} }: MetricDeclaration, series: Readonly<Record<string, string>>) {
  const [expected, found] = [labels.toSorted().join(), Object.keys(series).sort().join()];
  if (expected !== found) return [`${name} has the labels ${found}, declared with ${expected}`];
  return Object.entries(values)
    .filter(([label, allowed]) => !Object.hasOwn(allowed, series[label] ?? ''))
    .map(([label]) => `${name} has ${label}="${series[label]}", which is not one of its values`);
}

const SERIES = /^([a-z0-9_]+)(?:\{(.*)\})? \S+$/;

function exportedIn(text: string): Map<string, Exported> {
  const exported = new Map<string, { type: string; help: string; series: Record<string, string>[] }>();
  let last = { type: '', help: '', series: [] as Record<string, string>[] };
  for (const line of text.split('\n')) {
    const [, keyword, name = '', value = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (keyword === 'HELP') exported.set(name, (last = { type: '', help: value, series: [] }));
    if (keyword === 'TYPE') last.type = value;
    const [, series, labels = ''] = SERIES.exec(line) ?? [];
    if (series === undefined) continue;
    const own = [...labels.matchAll(/([a-z0-9_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, label = '', value = '']) => [
      label,
      value,
    ]);
    last.series.push(Object.fromEntries(own.filter(([label]) => label !== 'le')) as Record<string, string>);
  }
  return exported;
}
