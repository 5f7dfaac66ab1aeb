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
  it('fills in one replica, the restart policy and the port', () => {
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

  it("knows the framework's port where the manifest has another number for it", () => {
    const ports = [{ name: 'main-port', containerPort: 4321 }];
    const template = { spec: { containers: [{ name: 'main', image: 'registry.example/main:1', ports }] } };
    expect(read({ Worker: { template } })).toMatchObject([{ port: 4321 }]);
  });

  it('keeps what the manifest says, also that there are no replicas', () => {
    expect(read({ Worker: { replicas: 0, restartPolicy: 'Never', template: TEMPLATE } })).toMatchObject([
      { replicas: 0, restartPolicy: 'Never' },
    ]);
  });

  it('reads an empty restart policy as none', () => {
    expect(read({ Worker: { restartPolicy: '', template: TEMPLATE } })).toMatchObject([{ restartPolicy: 'OnFailure' }]);
  });

  it.each([
    ['in the order of the kind, not of the manifest', ['Worker', 'PS', 'Chief'], ['Chief', 'PS', 'Worker']],
    ['by the names that the status has, however the manifest spells them', ['ps', 'WORKER'], ['PS', 'Worker']],
    ['and leaves out what the kind does not know', ['Worker', 'Foo'], ['Worker']],
    ['and has none where there are none', [], []],
  ])('gives roles %s', (_what, written, expected) => {
    const specs = Object.fromEntries(written.map((name) => [name, { template: TEMPLATE }]));
    expect(read(specs).map(({ name }) => name)).toEqual(expected);
  });

  it('says which roles go on for ever, in whatever case they are written', () => {
    const roles = read({ ps: { template: TEMPLATE }, worker: { template: TEMPLATE } });
    expect(roles.map(({ name, endsByItself }) => [name, endsByItself])).toEqual([
      ['PS', false],
      ['Worker', true],
    ]);
  });
});
