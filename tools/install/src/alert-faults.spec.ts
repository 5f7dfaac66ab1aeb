/** Checks that each alert has a test that causes its fault. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { chartFolder } from './install-operators.ts';

it('each alert has a test that injects its fault', () => {
  const specs = ['alerts.full.spec.ts', 'operator-alerts.full.spec.ts'];
  const tests = specs.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8')).join('\n');
  const fired = new Set([...tests.matchAll(/\bfired\('(Muster\w+)'/g)].map(([, name]) => name));
  const file = readFileSync(join(chartFolder('pytorch-elastic'), 'files/alerts.yaml'), 'utf8');
  const { alerts } = parse(file) as { alerts: { name: string }[] };
  expect(alerts.map(({ name }) => name).filter((name) => !fired.has(name))).toEqual([]);
});
