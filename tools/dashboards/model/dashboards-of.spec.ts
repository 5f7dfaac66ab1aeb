import { expect, it } from 'vitest';
import { dashboardsOf } from './dashboards-of.ts';

const listed = (uid: string, ...tags: string[]) => ({ uid, title: uid, description: '', tags });
const ALL = [
  listed('mpi-jobs', 'muster', 'muster-mpi'),
  listed('ray-jobs', 'muster', 'muster-ray'),
  listed('ray-job', 'muster', 'muster-ray'),
  listed('own'),
];
const uids = (frameworks: string[], uid?: string) => dashboardsOf(frameworks, ALL, uid).map((each) => each.uid);

it('leaves out the dashboards of frameworks without an operator', () => {
  expect(uids(['mpi'])).toEqual(['mpi-jobs', 'own']);
  expect(uids(['ray', 'mpi'])).toEqual(['mpi-jobs', 'ray-jobs', 'ray-job', 'own']);
});

it('keeps the open dashboard', () => {
  expect(uids(['mpi'], 'ray-job')).toEqual(['mpi-jobs', 'ray-job', 'own']);
});

it('keeps all dashboards without any operator', () => {
  expect(uids([])).toEqual(ALL.map(({ uid }) => uid));
});
