/** Ports that plugins add to containers. */
import type { ContainerPort } from '@muster/job-api';
import { expect, it } from 'vitest';
import { addedPort } from './pod-change.ts';

it.each<[what: string, own: ContainerPort[], added: ContainerPort[]]>([
  ['is added by its name', [], [{ name: 'gcs', containerPort: 6379 }]],
  ['is not added where the container has its number', [{ name: 'mine', containerPort: 6379 }], []],
  [
    'is added without a name where the container calls another port so, since names have to differ',
    [{ name: 'gcs', containerPort: 7000 }],
    [{ containerPort: 6379 }],
  ],
])('a port of a plugin %s', (_what, own, added) => {
  expect(addedPort({ name: 'main', ports: own }, 'gcs', 6379)).toEqual([...own, ...added]);
});
