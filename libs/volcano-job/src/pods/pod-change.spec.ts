import type { ContainerPort } from '@muster/job-api';
import { expect, it } from 'vitest';
import { addedPort } from './pod-change.ts';

it.each<[what: string, own: ContainerPort[], added: ContainerPort[]]>([
  ['is added by its name', [], [{ name: 'gcs', containerPort: 6379 }]],
  ['is not added if the container has that port number', [{ name: 'mine', containerPort: 6379 }], []],
  [
    'is added without a name if another port of the container has that name',
    [{ name: 'gcs', containerPort: 7000 }],
    [{ containerPort: 6379 }],
  ],
])('a port of a plugin %s', (_what, own, added) => {
  expect(addedPort({ name: 'main', ports: own }, 'gcs', 6379)).toEqual([...own, ...added]);
});
