import { describe, expect, it } from 'vitest';
import { parseObjects } from './object-json.ts';

const managedFields = [
  {
    manager: 'kubectl',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': { 'k:{"name":"main"}': { '.': {} } } },
    operation: 'Update',
  },
  { apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:status': {} }, manager: 'kubelet', subresource: 'status' },
];
interface Managed {
  readonly managedFields?: typeof managedFields;
}

/** As custom resources have them: their fields by name. */
const sorted = ({ managedFields: entries = [] }: Managed) => ({
  ...(entries.length > 0 && { managedFields: entries.map(({ manager, ...entry }) => ({ ...entry, manager })) }),
});
const finalizers = (value: string) => [{ ...managedFields[0], fieldsV1: { [`v:${JSON.stringify(value)}`]: {} } }];

const object = (managed: object, rest: object = {}) => ({
  metadata: { name: 'a', labels: { text: ',"managedFields":[{ }]' }, ...managed, zone: 'b' },
  spec: { containers: [{ args: ['}]', '[{'] }] },
  ...rest,
});

describe('parseObjects', () => {
  it.each<[string, (managed: Managed) => object]>([
    ['an object', (managed) => object(managed)],
    ['a custom resource', (managed) => ({ apiVersion: 'v1', ...object(sorted(managed)) })],
    ['an event of a watch', (managed) => ({ type: 'ADDED', object: object(managed) })],
    ['a list', (managed) => ({ metadata: {}, items: [object(managed), object({}), object(managed)] })],
  ])('leaves managedFields out of %s, and nothing else', (_what, make) => {
    expect(parseObjects(JSON.stringify(make({ managedFields })))).toEqual(make({}));
  });

  it.each<[string, object]>([
    ['has none', object({})],
    ['has no entries in them', object({ managedFields: [] })],
    ['has nothing but them', { metadata: { managedFields } }],
    ['has the end of the list in one of their strings', object({ managedFields: finalizers('}]') })],
    ['has JSON in one of their strings', object({ managedFields: finalizers('}],"name":"b"},{"c":[{}]') })],
    ['has another list of that name', object({}, { managed: { a: 1, managedFields: [{ a: 1 }] } })],
    [
      'has one that is no list of objects',
      object({}, { managed: { a: 1, managedFields: [{ apiVersion: 'a' }, 2] }, b: [{}] }),
    ],
    ['has one of lists', object({}, { managed: { a: 1, managedFields: [{ apiVersion: 'a', of: [{ a: 1 }], b: 1 }] } })],
  ])('keeps all of an object that %s', (_what, all) => {
    expect(parseObjects(JSON.stringify(all))).toEqual(all);
  });

  it('throws what parsing throws', () => {
    expect(() => parseObjects('{"metadata":{"name":"a","managedFields":[{"manager":"x"}]')).toThrow(SyntaxError);
  });
});
