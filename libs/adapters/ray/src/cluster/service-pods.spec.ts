/** The pods of a RayService's cluster. */
import type { Pod } from '@muster/job-api';
import { expect, it } from 'vitest';
import { passOver, ready } from '../../test-support/cluster-worlds.ts';

const ORIGIN = { 'ray.io/originated-from-cr-name': 'fruit', 'ray.io/originated-from-crd': 'RayService' };

/** As KubeRay creates them. */
function withoutOrigin({ metadata, ...pod }: Pod): Pod {
  const labels = Object.entries(metadata?.labels ?? {}).filter(([key]) => !(key in ORIGIN));
  return { ...pod, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
}

function labelWrites(labels: Record<string, string>, change: (pod: Pod) => Pod) {
  const given = { labels };
  const pods = passOver({ given }).create.pods.map(ready).map(change);
  const written = passOver({ given, pods }).annotate.flatMap(({ labels: each }) => (each === undefined ? [] : [each]));
  return { pods: pods.length, written: written.filter((each) => Object.keys(each).length > 0) };
}

it('of KubeRay get the labels by which the RayService finds them', () => {
  const { pods, written } = labelWrites(ORIGIN, withoutOrigin);
  expect(pods).toBeGreaterThan(0);
  expect(written).toEqual(Array.from({ length: pods }, () => ORIGIN));
});

it('of Muster have them', () => {
  expect(labelWrites(ORIGIN, (pod) => pod).written).toEqual([]);
});

it('of other clusters do not get them', () => {
  expect(labelWrites({}, (pod) => pod).written).toEqual([]);
});
