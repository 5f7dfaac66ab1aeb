import { describe, expect, it } from 'vitest';
import { annotationProblems, unknownAnnotations } from './job-annotations.ts';

const job = (annotations: Record<string, string>, kind = 'TFJob') => ({ kind, metadata: { annotations } });
const messages = (problems: ReturnType<typeof annotationProblems>) =>
  problems.map(({ path, message }) => `${path}: ${message}`);

describe('the annotations of a job', () => {
  it.each<[string, Record<string, string>, string?]>([
    ['both service modes', { 'muster.dev/service-mode': 'PerReplica' }],
    ['names of pods', { 'muster.dev/scale-down-pods': 'train-worker-1, train-worker-3' }],
    ['no name of a pod', { 'muster.dev/scale-down-pods': '' }],
    ['a kept status', { 'muster.dev/status': '{"job":{}}' }],
    ['a switch', { 'muster.dev/evaluator-in-cluster': 'false' }],
    ['a switch of MPI', { 'muster.dev/discover-hosts-slots': 'true' }, 'MPIJob'],
    ['a fraction', { 'muster.dev/ray-memory-fraction': '0.8' }, 'RayCluster'],
    ['the whole', { 'muster.dev/ray-memory-fraction': '1.0' }, 'RayCluster'],
    ['a time to wait', { 'muster.dev/ray-gcs-wait-seconds': '600' }, 'RayCluster'],
    ["others' annotations", { 'example.com/service-mode': 'perreplica', team: 'muster.dev/' }],
  ])('accept %s', (_what, annotations, kind) => {
    expect(annotationProblems(job(annotations, kind))).toEqual([]);
    expect(unknownAnnotations(job(annotations, kind))).toEqual([]);
  });

  it.each([
    ['muster.dev/service-mode', 'perreplica', 'Unsupported value: "perreplica": supported values: PerJob, PerReplica'],
    ['muster.dev/evaluator-in-cluster', 'no', 'Unsupported value: "no": supported values: true, false'],
    [
      'muster.dev/scale-down-pods',
      'train-worker-1;train-worker-2',
      'Invalid value: "train-worker-1;train-worker-2": must be names of pods, separated by commas',
    ],
  ])('are reported with the path if the value of %s is %s', (key, value, message) => {
    expect(messages(annotationProblems(job({ [key]: value })))).toEqual([`metadata.annotations[${key}]: ${message}`]);
  });

  it.each([
    ['muster.dev/ray-memory-fraction', '0', 'must be a number over 0 and at most 1'],
    ['muster.dev/ray-memory-fraction', '80%', 'must be a number over 0 and at most 1'],
    ['muster.dev/ray-memory-fraction', '1.5', 'must be a number over 0 and at most 1'],
    ['muster.dev/ray-gcs-wait-seconds', '0', 'must be a whole number of seconds, at least 1'],
    ['muster.dev/ray-gcs-wait-seconds', '10m', 'must be a whole number of seconds, at least 1'],
  ])('of a RayCluster are reported with the path if the value of %s is %s', (key, value, message) => {
    expect(messages(annotationProblems(job({ [key]: value }, 'RayCluster')))).toEqual([
      `metadata.annotations[${key}]: Invalid value: ${JSON.stringify(value)}: ${message}`,
    ]);
  });

  it.each([
    ['muster.dev/servicemode', 'TFJob', '; did you mean muster.dev/service-mode?'],
    ['muster.dev/evaluator-in-cluster', 'PyTorchJob', ''],
    ['muster.dev/hosts', 'MPIJob', ''],
  ])('are reported if the kind does not use them: %s on a %s', (key, kind, hint) => {
    const annotated = job({ [key]: 'x' }, kind);
    expect(messages(unknownAnnotations(annotated))).toEqual([
      `metadata.annotations[${key}]: unknown annotation for kind ${kind}${hint}`,
    ]);
    expect(annotationProblems(annotated)).toEqual([]);
  });
});
