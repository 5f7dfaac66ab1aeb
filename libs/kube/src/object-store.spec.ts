import type { KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { ObjectStore } from './object-store.ts';

interface Thing extends KubeObject {
  colours: string[];
}

const thing = (name: string, ...colours: string[]): Thing => ({ metadata: { namespace: 'ns', name }, colours });
const names = (things: readonly Thing[]): string[] => things.map(({ metadata }) => metadata?.name ?? '').sort();
const newStore = () => new ObjectStore<Thing>({ colour: ({ colours }) => colours, none: () => [] });

describe('ObjectStore', () => {
  it('finds objects by key and by each of their index values', () => {
    const store = newStore();
    store.set(thing('a', 'red', 'blue'));
    store.set(thing('b', 'red'));
    expect(store.get('ns/a')).toEqual(thing('a', 'red', 'blue'));
    expect(names(store.byIndex('colour', 'red'))).toEqual(['a', 'b']);
    expect(names(store.byIndex('colour', 'blue'))).toEqual(['a']);
    expect(store.byIndex('colour', 'green')).toEqual([]);
    expect(store.byIndex('none', 'red')).toEqual([]);
  });

  it('drops index values that an object no longer has', () => {
    const store = newStore();
    const first = thing('a', 'red', 'blue');
    store.set(first);
    expect(store.set(thing('a', 'blue', 'green'))).toBe(first);
    expect(store.byIndex('colour', 'red')).toEqual([]);
    expect(names(store.byIndex('colour', 'blue'))).toEqual(['a']);
    expect(names(store.byIndex('colour', 'green'))).toEqual(['a']);
  });

  it('drops deleted objects from every index', () => {
    const store = newStore();
    store.set(thing('a', 'red'));
    expect(names([store.delete('ns/a')!])).toEqual(['a']);
    expect(store.delete('ns/a')).toBeUndefined();
    expect(store.byIndex('colour', 'red')).toEqual([]);
    expect(store.list()).toEqual([]);
  });

  it('returns the same list until an object changes', () => {
    const store = newStore();
    store.set(thing('a'));
    const before = store.list();
    expect(store.list()).toBe(before);
    store.set(thing('b'));
    expect(names(store.list())).toEqual(['a', 'b']);
    expect(names(before)).toEqual(['a']);
  });

  it('names the missing index', () => {
    expect(() => newStore().byIndex('size', 'big')).toThrow('No index "size"');
  });
});
