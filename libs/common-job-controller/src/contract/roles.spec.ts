import type { ReplicaSpecs } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { readRoles } from './roles.ts';

const READING = {
  containerName: 'main',
  port: { name: 'main-port', number: 1234 },
  roleNames: ['Chief', 'PS', 'Worker'],
  defaultRestartPolicy: 'OnFailure',
  endless: ['PS'],
} as const;

const TEMPLATE = { spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } };

const read = (specs: ReplicaSpecs) => readRoles(specs, READING);

describe('readRoles', () => {
  it('defaults to one replica, the restart policy and the port', () => {
    const ports = [{ name: 'main-port', containerPort: 1234 }];
    expect(read({ Worker: { template: TEMPLATE } })).toEqual([
      {
        name: 'Worker',
        replicas: 1,
        restartPolicy: 'OnFailure',
        template: { spec: { containers: [{ name: 'main', image: 'registry.example/main:1', ports }] } },
        endsByItself: true,
        containerName: 'main',
        port: 1234,
      },
    ]);
  });

  it("reads the framework's port from the manifest", () => {
    const ports = [{ name: 'main-port', containerPort: 4321 }];
    const template = { spec: { containers: [{ name: 'main', image: 'registry.example/main:1', ports }] } };
    expect(read({ Worker: { template } })).toMatchObject([{ port: 4321 }]);
  });

  it("keeps the manifest's values, also zero replicas", () => {
    expect(read({ Worker: { replicas: 0, restartPolicy: 'Never', template: TEMPLATE } })).toMatchObject([
      { replicas: 0, restartPolicy: 'Never' },
    ]);
  });

  it('treats an empty restart policy as unset', () => {
    expect(read({ Worker: { restartPolicy: '', template: TEMPLATE } })).toMatchObject([{ restartPolicy: 'OnFailure' }]);
  });

  it.each([
    ["in the kind's order, not in the manifest's", ['Worker', 'PS', 'Chief'], ['Chief', 'PS', 'Worker']],
    ['with the names of the status, in whatever case the manifest has them', ['ps', 'WORKER'], ['PS', 'Worker']],
    ['without those that the kind does not have', ['Worker', 'Foo'], ['Worker']],
    ['as an empty list without specs', [], []],
  ])('returns the roles %s', (_what, written, expected) => {
    const specs = Object.fromEntries(written.map((name) => [name, { template: TEMPLATE }]));
    expect(read(specs).map(({ name }) => name)).toEqual(expected);
  });

  it('marks roles that never end, in whatever case they are written', () => {
    const roles = read({ ps: { template: TEMPLATE }, worker: { template: TEMPLATE } });
    expect(roles.map(({ name, endsByItself }) => [name, endsByItself])).toEqual([
      ['PS', false],
      ['Worker', true],
    ]);
  });
});
