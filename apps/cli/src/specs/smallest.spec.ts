import { expect, it } from 'vitest';
import { fits } from '../../test-support/specs/field-path.ts';
import { isObject, partAt, type JsonObject } from '../../test-support/specs/json.ts';
import { smallest } from '../../test-support/specs/smallest.ts';

const MANIFEST: JsonObject = {
  kind: 'TFJob',
  metadata: { name: 'mnist', namespace: 'specs', labels: { team: 'vision' } },
  spec: { roles: [{ replicas: 64, command: ['train'] }, { replicas: 2 }], suspend: true },
};

it('a failing manifest is reduced to the parts that it fails with', () => {
  const failing = (manifest: JsonObject) => {
    const roles = partAt(manifest, ['spec', 'roles']);
    return Array.isArray(roles) && roles.some((role) => isObject(role) && Number(role.replicas) > 10);
  };
  expect(smallest(MANIFEST, failing)).toEqual({
    kind: 'TFJob',
    metadata: { name: 'mnist', namespace: 'specs' },
    spec: { roles: [{ replicas: 32 }] },
  });
});

it.each([
  ['spec.roles[0].replicas', true],
  ['spec.roles[1].command', true],
  ['spec.roles[2]', true],
  ['spec.runPolicy.suspend', true],
  ['spec.roles[3]', false],
  ['spec.suspend.reason', false],
  ['status.state', false],
])('a problem may name %s: %s', (path, isFit) => {
  expect(fits(MANIFEST, path)).toBe(isFit);
});
