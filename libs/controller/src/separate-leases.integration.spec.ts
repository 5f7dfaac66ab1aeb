/** Operators of different frameworks in one namespace have separate Leases. */
import { LEASES, type Lease } from '@muster/job-api';
import { createInformer } from '@muster/kube';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { TestNamespace } from '../test-support/test-namespace.ts';
import { LeaderElector } from './leader-election.ts';

/** A follower without a watch would not try again within this test. */
const LONG = { leaseDurationMs: 3_600_000, renewDeadlineMs: 3_000_000, retryPeriodMs: 2_400_000 };
const STOP_MS = 10_000;

let api: TestNamespace;

beforeAll(async () => {
  api = await TestNamespace.create('separate-leases');
});
afterAll(() => api.delete());

/** Each replica sees all Leases of the namespace; a real operator watches its own. */
async function watchedLeases() {
  const leases = createInformer(api.client, LEASES, { namespaces: [api.name] });
  leases.start();
  await leases.waitForSync();
  return leases;
}

it('does not affect the leader and followers of one Lease by changes of another', async () => {
  const leases = await watchedLeases();
  const lost: string[] = [];
  const replica = (name: string, identity: string) =>
    new LeaderElector({
      ...LONG,
      client: api.client,
      namespace: api.name,
      name,
      identity,
      leases,
      onLost: (reason) => lost.push(`${identity}: ${reason}`),
      registry: new Registry(),
      logger: new RecordedLog(),
    });
  const follow = async (elector: LeaderElector, leader: string): Promise<void> => {
    void elector.start().catch(() => undefined);
    await eventually(() => elector.leader === leader, { describe: `${elector.identity} follows ${leader}` });
  };
  const stored = (name: string): Promise<Lease> => api.client.get(LEASES, { namespace: api.name, name });

  const tensor = [replica('tensor', 'tensor-0'), replica('tensor', 'tensor-1')] as const;
  const torch = [replica('torch', 'torch-0'), replica('torch', 'torch-1')] as const;
  await tensor[0].start();
  await torch[0].start();
  await follow(tensor[1], 'tensor-0');
  await follow(torch[1], 'torch-0');
  const untouched = await stored('torch');

  await tensor[0].stop(STOP_MS);
  await eventually(() => tensor[1].isLeader, { describe: 'the other replica of the same name leads' });
  await api.client.delete(LEASES, { namespace: api.name, name: 'tensor' });
  await tensor[1].stop(STOP_MS);

  expect([torch[0].isLeader, torch[1].isLeader]).toEqual([true, false]);
  expect(await stored('torch')).toEqual(untouched);
  await torch[0].stop(STOP_MS);
  await eventually(() => torch[1].isLeader, { describe: 'the other replica leads as soon as its own Lease is free' });
  expect((await stored('torch')).spec).toMatchObject({ holderIdentity: 'torch-1', leaseTransitions: 1 });
  expect(lost).toEqual([]);
  await torch[1].stop(STOP_MS);
  await leases.stop();
});
