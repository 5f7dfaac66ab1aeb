/** The reference pages of kinds with words of their own. */
import { describe, expect, it } from 'vitest';
import { ANNOTATIONS } from './annotations.ts';
import type { KindWords } from './kind-definition.ts';
import { unreadAnnotations } from './job-annotations.ts';
import { RAY_CLUSTER_WORDS, RAY_JOB_WORDS } from './ray-words.ts';
import { VOLCANO_JOB_WORDS } from './volcano-words.ts';

/** Those that are read on every kind, and say nothing where a kind has other means. */
const GENERAL: readonly string[] = [ANNOTATIONS.serviceMode, ANNOTATIONS.scaleDownPods, ANNOTATIONS.status];

const isRead = (kind: string, key: string) =>
  unreadAnnotations({ kind, metadata: { annotations: { [key]: '1' } } }).length === 0;

describe('the reference page', () => {
  it.each<[kind: string, words: KindWords]>([
    ['RayCluster', RAY_CLUSTER_WORDS],
    ['RayJob', RAY_JOB_WORDS],
    ['Job', VOLCANO_JOB_WORDS],
  ])('of a %s lists the annotations of Muster that are read on it, and no others', (kind, { annotations }) => {
    const read = Object.values(ANNOTATIONS).filter((key) => isRead(kind, key) && !GENERAL.includes(key));
    const listed = Object.keys(annotations).filter((key) => key.startsWith('muster.dev/'));
    expect(listed.toSorted()).toEqual(read.toSorted());
  });
});
