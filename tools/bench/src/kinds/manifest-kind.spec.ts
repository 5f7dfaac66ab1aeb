import { expect, it } from 'vitest';
import { manifestKind } from './manifest-kind.ts';

const FILE = `
# Installed first.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: runs.example.org }
---
apiVersion: example.org/v1
kind: Run
metadata: { name: "\${name}" }
spec:
  size: \${pods}
  workers: \${others}
  labels: { muster.dev/simulate: \${end}, after: \${after}, kept: "\${HOME}" }
`;
const RUNS = { group: 'example.org', version: 'v1', kind: 'Run', plural: 'runs', namespaced: true };

it('fills in the placeholders of a scenario, and leaves other variables unchanged', () => {
  const found = manifestKind(FILE);
  expect([found.installed.map((each) => each.kind), found.apiVersion, found.kind]).toEqual([
    ['CustomResourceDefinition'],
    'example.org/v1',
    'Run',
  ]);
  expect(found.of(RUNS).manifest('a', 4, 1000)).toEqual({
    apiVersion: 'example.org/v1',
    kind: 'Run',
    metadata: { name: 'a' },
    spec: { size: 4, workers: 3, labels: { 'muster.dev/simulate': 'succeed', after: '1000ms', kept: '${HOME}' } },
  });
  expect(found.of(RUNS).manifest('a', 4, undefined)).toMatchObject({
    spec: { labels: { 'muster.dev/simulate': 'never' } },
  });
});

it('rejects a file whose last document is not a job, and says what is required', () => {
  expect(() => manifestKind('apiVersion: v1\nkind: Pod\nmetadata: { name: fixed }')).toThrow('name: ${name}');
});
