import { expect, it } from 'vitest';
import { MEASURED_KINDS } from '../training-job.ts';
import { wrongCounts, type Counts } from './wrong-counts.ts';

const LOAD = { kind: MEASURED_KINDS['pytorch-elastic']!, jobs: 10, pods: 5, trainingMs: 1000 };
const RIGHT: Counts = {
  requests: {
    'POST pods': 50,
    'POST services': 20,
    'PATCH pytorchjobs status': 40,
    'POST events': 90,
    'POST endpointslices': 20,
    'DELETE endpointslices': 20,
  },
  counters: { created: 10, successful: 10 },
  left: { pods: 0, services: 0 },
};

it('reports nothing for the expected counts of a load', () => {
  expect(wrongCounts(LOAD, RIGHT)).toEqual([]);
});

it.each<[what: string, counts: Partial<Counts>, problem: string]>([
  ['a pod created twice', { requests: { ...RIGHT.requests, 'POST pods': 51 } }, 'pods created: 51 instead of 50'],
  ['a pod deleted', { requests: { ...RIGHT.requests, 'DELETE pods': 1 } }, 'deletions of pods: 1, more than 0'],
  [
    'a status that is written again and again',
    { requests: { ...RIGHT.requests, 'PATCH pytorchjobs status': 101 } },
    'status writes: 101, more than 100',
  ],
  ['a job counted twice', { counters: { created: 11, successful: 10 } }, 'jobs counted as created: 11 instead of 10'],
  ['a pod that is not deleted', { left: { pods: 1 } }, 'pods left when the jobs are gone: 1 instead of 0'],
])('finds %s', (_what, counts, problem) => {
  expect(wrongCounts(LOAD, { ...RIGHT, ...counts })).toEqual([problem]);
});
