/**
 * What is wrong with a PromQL expression beside its syntax: metrics and labels that are not declared, rates of what is no
 * counter, values of a closed set that are not in it. It reads the text alone, so it holds however the text was made.
 */
import type { SyntaxNode, Tree } from '@lezer/common';
import { METRICS, type MetricDeclaration } from '@muster/metrics';
import { parser } from '@prometheus-io/lezer-promql';

/** What Prometheus and whoever scrapes add to every series. */
const TARGET_LABELS = ['cluster', 'namespace', 'pod'];

const OF_COUNTERS = ['rate', 'increase'];
const OF_GAUGES = ['min_over_time', 'max_over_time'];

interface Exported {
  readonly metric: MetricDeclaration;
  readonly labels: readonly string[];
  /** Whether it goes up only: a counter, or a part of a histogram. */
  readonly isCumulative: boolean;
}

/** Every series that is exported, by its name. */
const EXPORTED: ReadonlyMap<string, Exported> = new Map(
  METRICS.flatMap((group) => Object.values(group.metrics)).flatMap((metric): [string, Exported][] => {
    const labels = [...metric.labels, ...TARGET_LABELS];
    if (metric.type !== 'histogram')
      return [[metric.name, { metric, labels, isCumulative: metric.type === 'counter' }]];
    return [
      [`${metric.name}_bucket`, { metric, labels: [...labels, 'le'], isCumulative: true }],
      [`${metric.name}_sum`, { metric, labels, isCumulative: true }],
      [`${metric.name}_count`, { metric, labels, isCumulative: true }],
    ];
  }),
);

/** One line for each problem. Variables and placeholders have to be replaced before. */
export function promqlProblems(text: string): string[] {
  const tree = parser.parse(text);
  const broken = [...nodesOf(tree)].filter((node) => node.type.isError).map((node) => `syntax error at ${node.from}`);
  if (broken.length > 0) return broken;
  const selectors = [...nodesOf(tree)].filter(({ name }) => name === 'VectorSelector');
  if (selectors.length === 0) return ['no metric is asked for'];
  return [...selectors.flatMap((node) => selectorProblems(node, text)), ...groupingProblems(tree, text)];
}

/** The names of the declared metrics that an expression asks for. */
export function metricsIn(text: string): string[] {
  return [...nodesOf(parser.parse(text))]
    .filter(({ name }) => name === 'VectorSelector')
    .flatMap((node) => EXPORTED.get(nameOf(node, text))?.metric.name ?? []);
}

function selectorProblems(selector: SyntaxNode, text: string): string[] {
  const name = nameOf(selector, text);
  const exported = EXPORTED.get(name);
  if (exported === undefined) return [`no metric is called ${name}`];
  const matchers = descendants(selector).filter((node) => node.name === 'UnquotedLabelMatcher');
  return [
    ...matchers.flatMap((matcher) => matcherProblems(matcher, name, exported, text)),
    ...functionProblems(selector, name, exported, text),
  ];
}

function matcherProblems(matcher: SyntaxNode, name: string, { metric, labels }: Exported, text: string): string[] {
  const label = textOf(matcher.getChild('LabelName'), text);
  if (!labels.includes(label)) return [`${name} has no label ${label}`];
  const known = metric.values?.[label];
  const isEqual = matcher.getChild('MatchOp')?.firstChild?.name === 'EqlSingle';
  const value = textOf(matcher.getChild('StringLiteral'), text).slice(1, -1);
  return known !== undefined && isEqual && !(value in known) ? [`${label} of ${name} is never ${value}`] : [];
}

function functionProblems(
  selector: SyntaxNode,
  name: string,
  { isCumulative, metric }: Exported,
  text: string,
): string[] {
  const isRange = selector.parent?.name === 'MatrixSelector';
  const call = ancestor(selector, 'FunctionCall');
  const called = isRange ? textOf(call?.getChild('FunctionIdentifier') ?? null, text) : '';
  const isCount = 'isCount' in metric && called === 'increase';
  if (OF_COUNTERS.includes(called)) return isCumulative || isCount ? [] : [`${called}() of the gauge ${name}`];
  if (isCumulative) return [`${name} goes up only, and is used without a rate`];
  return isRange && !OF_GAUGES.includes(called) ? [`${called}() of the gauge ${name}`] : [];
}

/** Labels by which is grouped and that no metric of the grouped expression has. */
function groupingProblems(tree: Tree, text: string): string[] {
  const aggregates = [...nodesOf(tree)].filter(({ name }) => name === 'AggregateExpr');
  return aggregates.flatMap((aggregate) => {
    const inner = descendants(aggregate).filter(({ name }) => name === 'VectorSelector');
    const labels = new Set(inner.flatMap((selector) => EXPORTED.get(nameOf(selector, text))?.labels ?? []));
    const by = aggregate.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
    return by
      .map((node) => textOf(node, text))
      .flatMap((label) => (labels.has(label) ? [] : [`by ${label}, which nothing has`]));
  });
}

function nameOf(selector: SyntaxNode, text: string): string {
  return textOf(selector.getChild('Identifier'), text);
}

function textOf(node: SyntaxNode | null, text: string): string {
  return node === null ? '' : text.slice(node.from, node.to);
}

function ancestor(node: SyntaxNode, name: string): SyntaxNode | null {
  for (let each = node.parent; each !== null; each = each.parent) if (each.name === name) return each;
  return null;
}

function* nodesOf(tree: Tree): Generator<SyntaxNode> {
  yield tree.topNode;
  yield* descendants(tree.topNode);
}

function descendants(node: SyntaxNode): SyntaxNode[] {
  const all: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) all.push(child, ...descendants(child));
  return all;
}
