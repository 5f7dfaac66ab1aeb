import type { ContainerPort } from '@muster/job-api';
import { expect, it } from 'vitest';
import { addedPort, withPort } from './pod-change.ts';

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

it.each<[what: string, own: ContainerPort[], added: ContainerPort[][]]>([
  ['is added to the first container only', [], [[{ name: 'sshd', containerPort: 22 }], []]],
  ['is not added if another container has it', [{ containerPort: 22 }], [[], [{ containerPort: 22 }]]],
])('a port of a plugin in a pod with hostNetwork %s', (_what, own, added) => {
  const containers = [{ name: 'main' }, { name: 'logs', ports: own }];
  const { containers: changed } = withPort('sshd', 22, 'all')({ hostNetwork: true, containers });
  expect(changed.map(({ ports = [] }) => ports)).toEqual(added);
});
