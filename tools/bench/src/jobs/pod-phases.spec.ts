import type { Pod } from '@muster/job-api';
import { expect, it } from 'vitest';
import { seen } from './pod-phases.ts';

const pod = (uid: string, phase: string): Pod => ({
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { uid } },
  status: { phase },
});

it('counts a pod that reached a phase, also after its deletion', () => {
  const twoRan = seen(2, ({ status }) => status?.phase === 'Running');
  expect(twoRan([pod('a', 'Running'), pod('b', 'Pending')])).toBe(false);
  expect(twoRan([pod('a', 'Running')])).toBe(false);
  expect(twoRan([pod('b', 'Running')])).toBe(true);
});
