/**
 * Checks a PromQL expression: syntax, undeclared metrics and labels, rates of gauges, invalid values of labels with a closed set
 * of values.
 */
import type { SyntaxNode, Tree } from '@lezer/common';
import { METRICS, type MetricDeclaration } from '@muster/metrics';
import { parser } from '@prometheus-io/lezer-promql';

/** Labels that the scrape adds to every series. */
const TARGET_LABELS = ['cluster', 'namespace', 'pod'];

const OF_COUNTERS = ['rate', 'increase'];
const OF_GAUGES = ['min_over_time', 'max_over_time'];

interface Exported {
  readonly metric: MetricDeclaration;
  readonly labels: readonly string[];
  /** A counter, or a part of a histogram. */
  readonly isCumulative: boolean;
}

/** Exported series by name. */
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

/** One line for each problem. Variables and placeholders must be replaced first. */
export function promqlProblems(text: string): string[] {
  const tree = parser.parse(text);
  const broken = [...nodesOf(tree)].filter((node) => node.type.isError).map((node) => `syntax error at ${node.from}`);
  if (broken.length > 0) return broken;
  const selectors = [...nodesOf(tree)].filter(({ name }) => name === 'VectorSelector');
  if (selectors.length === 0) return ['no metric is queried'];
  return [...selectors.flatMap((node) => selectorProblems(node, text)), ...groupingProblems(tree, text)];
}

/** Names of the declared metrics in an expression. */
export function metricsIn(text: string): string[] {
  return [...nodesOf(parser.parse(text))]
    .filter(({ name }) => name === 'VectorSelector')
    .flatMap((node) => EXPORTED.get(nameOf(node, text))?.metric.name ?? []);
}

function selectorProblems(selector: SyntaxNode, text: string): string[] {
  const name = nameOf(selector, text);
  const exported = EXPORTED.get(name);
  if (exported === undefined) return [`unknown metric ${name}`];
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
  return known !== undefined && isEqual && !(value in known)
    ? [`label ${label} of ${name} never has the value ${value}`]
    : [];
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
  // Whether it has ever counted since the process started.
  if (isCumulative && textOf(ancestor(selector, 'BinaryExpr'), text).endsWith(' > 0')) return [];
  if (isCumulative) return [`${name} is a counter, and is used without rate() or increase()`];
  return isRange && !OF_GAUGES.includes(called) ? [`${called}() of the gauge ${name}`] : [];
}

/** Labels of `by` that no metric of the expression has. */
function groupingProblems(tree: Tree, text: string): string[] {
  const aggregates = [...nodesOf(tree)].filter(({ name }) => name === 'AggregateExpr');
  return aggregates.flatMap((aggregate) => {
    const inner = descendants(aggregate).filter(({ name }) => name === 'VectorSelector');
    const labels = new Set(inner.flatMap((selector) => EXPORTED.get(nameOf(selector, text))?.labels ?? []));
    const by = aggregate.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
    return by
      .map((node) => textOf(node, text))
      .flatMap((label) => (labels.has(label) ? [] : [`by (${label}): no metric has this label`]));
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
