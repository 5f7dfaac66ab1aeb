/** The alerts in the charts, and their runbooks. promtool runs the alerts in the tests of the charts. */
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { NAMESPACE_SERIES_KEPT_MS } from '@muster/metrics';
import { describe, expect, it } from 'vitest';
import { promqlProblems } from '../../test-support/promql-problems.ts';
import { shippedAlerts } from '../../test-support/shipped.ts';
import { alerts } from './alerts.ts';

const RUNBOOKS = join(import.meta.dirname, '../../../../docs/administrators/runbooks');
const KINDS = ['PyTorchJob', 'RayCronJob', 'RayService'];
const ALL = alerts({ title: 'PyTorch', kinds: KINDS, isElastic: true, tellsProgress: true });

describe.each(shippedAlerts())('the alerts of %s', (_framework, shipped) => {
  it.each(shipped)('$name queries only exported metrics, each by a function for its type', ({ expr }) => {
    const filled = expr.replaceAll(/%\{(\w+)\}/g, (_placeholder, name: string) => (/hreshold/.test(name) ? '1' : 'x'));
    expect(promqlProblems(filled)).toEqual([]);
  });
});

describe.each(ALL)('$name', ({ expression, summary, description, threshold }) => {
  it('names only labels that its series have', () => {
    const labels = [...description.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label);
    expect(labels.filter((label) => !expression.labels.includes(label ?? ''))).toEqual([]);
    expect([summary, description].every((text) => text.endsWith('.'))).toBe(true);
  });

  it('has a threshold if and only if its expression uses one', () => {
    expect(/hreshold}/.test(expression.promql)).toBe(threshold !== undefined);
  });
});

it('look back no further than series of a namespace without jobs are kept', () => {
  const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  const spans = ALL.flatMap(({ expression }) => [...expression.promql.matchAll(/\[(\d+)([smhd])\]/g)]);
  const spansMs = spans.map(([, count, unit]) => Number(count) * unitMs[unit as keyof typeof unitMs]);
  expect(spansMs.length).toBeGreaterThan(10);
  expect(Math.max(...spansMs)).toBeLessThanOrEqual(NAMESPACE_SERIES_KEPT_MS);
});

describe('the runbooks', () => {
  const pages = globSync('Muster*.md', { cwd: RUNBOOKS }).toSorted();

  it('are exactly one page for each alert', () => {
    expect(pages).toEqual(ALL.map(({ name }) => `${name}.md`).toSorted());
  });

  it.each(pages)('%s has the headings Meaning, Impact, Diagnosis and Mitigation', (page) => {
    const text = readFileSync(join(RUNBOOKS, page), 'utf8');
    const headings = ['## Meaning', '## Impact', '## Diagnosis', '## Mitigation'];
    expect(text.match(/^#+ .*$/gm)).toEqual([`# ${basename(page, '.md')}`, ...headings]);
  });

  it.each(pages)('%s queries only exported metrics', (page) => {
    const text = readFileSync(join(RUNBOOKS, page), 'utf8');
    for (const [, query = ''] of text.matchAll(/```promql\n([\s\S]*?)\n```/g)) {
      expect(promqlProblems(query), query).toEqual([]);
    }
  });
});
