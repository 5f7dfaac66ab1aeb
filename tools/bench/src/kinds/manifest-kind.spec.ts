import { expect, it } from 'vitest';
import { manifestKind } from './manifest-kind.ts';

const FILE = `
# What is installed first.
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

it('fills in what a scenario asks for, and leaves other words alone', () => {
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

it('refuses a file whose last document is no job, and says what it has to be', () => {
  expect(() => manifestKind('apiVersion: v1\nkind: Pod\nmetadata: { name: fixed }')).toThrow('name: ${name}');
});
