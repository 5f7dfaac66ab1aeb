import type { JobStatus, Pod } from '@muster/job-api';
import { expect, it } from 'vitest';
import { withTimeAccounts } from './time-accounts.ts';

const at = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000).toISOString().replace('.000', '');
const ms = (second: number) => Date.parse(at(second));

function podOf(run: { readonly startedAt: string; readonly before?: { readonly finishedAt: string } }): Pod {
  const { startedAt, before } = run;
  const lastState = before && { terminated: { exitCode: 0, ...before } };
  const container = { name: 'main', image: '', imageID: '', ready: true, restartCount: 0 };
  return {
    metadata: { creationTimestamp: at(0) },
    spec: { containers: [], nodeName: 'n' },
    status: {
      ...{ phase: 'Running', startTime: at(1) },
      containerStatuses: [{ ...container, state: { running: { startedAt } }, ...(lastState && { lastState }) }],
    },
  };
}

it('count the time in which a kubelet restarted a container, for a kind that counts no restarts', () => {
  const role = { containerName: 'main' };
  const job = (second: number, pod: Pod) => ({
    ...{ createdMs: ms(0), nowMs: ms(second), holds: [] },
    replicas: [{ state: 'running' as const, pod, role }],
  });
  const status: JobStatus = { conditions: [{ type: 'Running', status: 'True' }], allRunningTime: at(10) };
  const first = withTimeAccounts(job(20, podOf({ startedAt: at(10) })), {}, status);
  const restarted = podOf({ startedAt: at(58), before: { finishedAt: at(50) } });
  const { timeAccounts } = withTimeAccounts(job(100, restarted), first, { ...status, ready: '1/1' });
  expect(timeAccounts?.accounts).toMatchObject({ Running: { seconds: 10 + 30 + 42 }, Restarting: { seconds: 8 } });
  expect(timeAccounts?.attempts).toHaveLength(2);
});
