import { describe, expect, it } from 'vitest';
import { differenceOf } from './difference.ts';

const DEFAULTED = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'a', namespace: 'team', uid: 'u', labels: { app: 'a' } } },
  spec: { clusterIP: '10.0.0.1', type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }] },
};

describe('differenceOf', () => {
  it.each<[string, object, object]>([
    ['an object with the defaults of the API server', { spec: { ports: [{ port: 80 }] } }, DEFAULTED],
    ['labels added by others', { metadata: { name: 'a', labels: {} } }, DEFAULTED],
    ['fields without a value', { data: null, metadata: { creationTimestamp: null } }, { metadata: {} }],
    ['empty data', { data: {} }, { metadata: {} }],
    ['the same data', { data: { a: '1' } }, { data: { a: '1' } }],
    ['a large integer', { data: { a: 9007199254740993n } }, { data: { a: 9007199254740993n } }],
    [
      'a quantity in another form',
      { spec: { resources: { requests: { storage: '1024Mi', cpu: 1 } } } },
      { spec: { resources: { requests: { storage: '1Gi', cpu: '1' } } } },
    ],
    [
      'a Secret written as text',
      { kind: 'Secret', stringData: { key: 'é' } },
      { data: { key: 'w6k=' }, type: 'Opaque' },
    ],
    [
      'a Secret with both, of which the text counts',
      { kind: 'Secret', data: { key: 'AA==' }, stringData: { key: 'é' } },
      { data: { key: 'w6k=' } },
    ],
  ])('finds none in %s', (_what, file, stored) => {
    expect(differenceOf(file, stored)).toBeUndefined();
  });

  it.each<[string, object, object, string]>([
    ['a value', { data: { 'a.py': '1' } }, { data: { 'a.py': '2' } }, 'data[a.py]'],
    ['a key that the cluster does not have', { data: { a: '1' } }, { data: {} }, 'data[a]'],
    ['a key that the file does not have', { data: {} }, { data: { a: '1' } }, 'data[a]'],
    ['binary data that the file does not have', {}, { binaryData: { a: '1' } }, 'binaryData[a]'],
    ['data of a Secret', { kind: 'Secret', stringData: { a: '1' } }, { data: { a: 'Mg==' } }, 'data[a]'],
    ['a label', { metadata: { labels: { app: 'b' } } }, DEFAULTED, 'metadata.labels[app]'],
    ['an item', { spec: { ports: [{ port: 81 }] } }, DEFAULTED, 'spec.ports[0].port'],
    ['the number of items', { spec: { ports: [{ port: 80 }, { port: 81 }] } }, DEFAULTED, 'spec.ports'],
    ['a type', { spec: { type: ['ClusterIP'] } }, DEFAULTED, 'spec.type'],
    ['a field that is an object only in the file', { spec: { type: { a: 1 } } }, DEFAULTED, 'spec.type'],
    [
      'a quantity',
      { spec: { resources: { requests: { storage: '1Gi' } } } },
      { spec: { resources: { requests: { storage: '2Gi' } } } },
      'spec.resources.requests.storage',
    ],
    ['immutable', { immutable: true }, { data: {} }, 'immutable'],
  ])('names %s', (_what, file, stored, path) => {
    expect(differenceOf(file, stored)).toBe(path);
  });
});
