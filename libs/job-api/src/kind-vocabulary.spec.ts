/** The reference pages of kinds with their own conditions, reasons, labels and annotations. */
import { describe, expect, it } from 'vitest';
import { ANNOTATIONS } from './annotations.ts';
import type { KindVocabulary } from './kind-definition.ts';
import { unknownAnnotations } from './job-annotations.ts';
import {
  RAY_CLUSTER_VOCABULARY,
  RAY_CRON_JOB_VOCABULARY,
  RAY_JOB_VOCABULARY,
  RAY_SERVICE_VOCABULARY,
} from './ray-vocabulary.ts';
import { VOLCANO_JOB_VOCABULARY } from './volcano-vocabulary.ts';

/** Annotations that are read on every kind, but have no effect on these. */
const GENERAL: readonly string[] = [ANNOTATIONS.serviceMode, ANNOTATIONS.scaleDownPods, ANNOTATIONS.status];

const isRead = (kind: string, key: string) =>
  unknownAnnotations({ kind, metadata: { annotations: { [key]: '1' } } }).length === 0;

describe('the reference page', () => {
  it.each<[kind: string, words: KindVocabulary]>([
    ['RayCluster', RAY_CLUSTER_VOCABULARY],
    ['RayJob', RAY_JOB_VOCABULARY],
    ['RayCronJob', RAY_CRON_JOB_VOCABULARY],
    ['RayService', RAY_SERVICE_VOCABULARY],
    ['Job', VOLCANO_JOB_VOCABULARY],
  ])('of a %s lists exactly the annotations in muster.dev/ that the kind uses', (kind, { annotations }) => {
    const read = Object.values(ANNOTATIONS).filter((key) => isRead(kind, key) && !GENERAL.includes(key));
    const listed = Object.keys(annotations).filter((key) => key.startsWith('muster.dev/'));
    expect(listed.toSorted()).toEqual(read.toSorted());
  });
});
