import { expect, it, vi } from 'vitest';
import { grafanaTypeProblems } from './grafana-type-problems.ts';

// TypeScript reads all types of Grafana, which can take seconds.
vi.setConfig({ testTimeout: 120_000 });

const panel = { id: 1, type: 'stat', title: 'x', gridPos: { x: 0, y: 0, w: 4, h: 4 } };
const dashboard = { title: 'x', uid: 'x', templating: { list: [] }, panels: [panel] };

it('accepts a valid dashboard', () => {
  expect(grafanaTypeProblems([dashboard])).toEqual([]);
});

it('finds unknown fields and invalid values', () => {
  const wrong: object[] = [
    { tittle: 'x' },
    { title: 1 },
    { panels: [{ ...panel, options: { graph: 'none' } }] },
    { panels: [{ ...panel, options: { graphMode: 'bars' } }] },
    { panels: [{ ...panel, type: 'singlestat' }] },
  ];
  expect(grafanaTypeProblems(wrong.map((part) => ({ ...dashboard, ...part })))).toEqual([
    expect.stringContaining('"tittle"\' does not exist'),
    expect.stringContaining("'number' is not assignable to type 'string'"),
    expect.stringContaining('"graph"\' does not exist'),
    expect.stringContaining('"bars"\' is not assignable'),
    expect.stringContaining("not assignable to type 'never'"),
  ]);
});
