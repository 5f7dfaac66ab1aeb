import { describe, expect, it } from 'vitest';
import { parseObjects } from './object-json.ts';

const managedFields = [
  {
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } }, 'f:spec': { 'k:{"name":"main"}': { '.': {} } } },
    manager: 'kubectl',
    operation: 'Update',
  },
  { apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:status': {} }, manager: 'kubelet', subresource: 'status' },
];
const finalizers = (value: string) => [{ ...managedFields[0], fieldsV1: { [`v:${JSON.stringify(value)}`]: {} } }];

const object = (managed: object, rest: object = {}) => ({
  metadata: { name: 'a', labels: { text: ',"managedFields":[{ }]' }, ...managed, zone: 'b' },
  spec: { containers: [{ args: ['}]', '[{'] }] },
  ...rest,
});

describe('parseObjects', () => {
  it.each<[string, (managed: object) => object]>([
    ['an object', (managed) => object(managed)],
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
    ['has another list of that name', object({}, { managed: { a: 1, managedFields: [{ of: [{ a: 1 }], b: 1 }] } })],
  ])('keeps all of an object that %s', (_what, all) => {
    expect(parseObjects(JSON.stringify(all))).toEqual(all);
  });

  it('throws what parsing throws', () => {
    expect(() => parseObjects('{"metadata":{"name":"a","managedFields":[{"manager":"x"}]')).toThrow(SyntaxError);
  });
});
