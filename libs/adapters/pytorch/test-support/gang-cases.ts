/** Cases for every gang scheduler. Called in a `describe`, with a started fixture. */
import { expect, it } from 'vitest';
import type { GangFixture } from './gang-fixture.ts';

export interface GangCases {
  readonly fixture: () => GangFixture;
  /** The gang scheduler that the jobs name. Default: the operator's. */
  readonly gangScheduler?: string;
  /** The event of a gang that does not fit. */
  readonly unschedulable: RegExp;
  /** The minimum number of pods of the group with that name. */
  readonly least: (group: string) => Promise<number | undefined>;
}

const ROUNDS = 20;

export function gangCases({ fixture: of, gangScheduler, unschedulable, least }: GangCases): void {
  const named = gangScheduler === undefined ? {} : { gangScheduler };

  it('does not start partially, reports why, and starts completely when there is room', async () => {
    const fixture = of();
    await fixture.create({ name: 'large', workers: 8, ...named });
    await fixture.until(async () => {
      expect((await fixture.events('large')).filter((event) => unschedulable.test(event))).not.toEqual([]);
      expect(await fixture.placed('large')).toMatchObject({ placed: 0 });
      return true;
    }, 'large');
    expect((await fixture.job('large')).status?.state).not.toBe('Running');
    await fixture.addNode('added');
    await fixture.until(async () => {
      expect(await fixture.placed('large')).toEqual({ placed: 9, waiting: 0 });
      expect((await fixture.job('large')).status).toMatchObject({ state: 'Running', ready: '9/9' });
      return true;
    }, 'large');
    await fixture.remove('large');
    await fixture.removeNode('added');
  });

  it(`runs two jobs that do not fit together one after the other, ${ROUNDS} times`, async () => {
    const fixture = of();
    for (let round = 1; round <= ROUNDS; round++) {
      const names = [`one-${round}`, `two-${round}`];
      await Promise.all(names.map((name) => fixture.create({ name, workers: 4, ...named })));
      const first = await running(fixture, names);
      await fixture.end(first);
      const second = names.find((name) => name !== first) ?? '';
      await running(fixture, [second]);
      await fixture.end(second);
      await fixture.until(
        async () => {
          const states = await Promise.all(names.map(async (name) => (await fixture.job(name)).status?.state));
          return states.every((state) => state === 'Succeeded');
        },
        ...names,
      );
      await Promise.all(names.map((name) => fixture.remove(name)));
    }
  });

  it('starts the minimum of a scaled elastic job together', async () => {
    const fixture = of();
    await fixture.create({ name: 'elastic', workers: 4, gpus: 3, elasticMin: 2, ...named });
    await fixture.until(async () => {
      expect(await fixture.placed('elastic')).toEqual({ placed: 2, waiting: 2 });
      return true;
    }, 'elastic');
    const replicas = (count: number) => ({ spec: { pytorchReplicaSpecs: { Worker: { replicas: count } } } });
    await fixture.change('elastic', replicas(3));
    await fixture.until(async () => (await fixture.pods('elastic')).length === 3, 'elastic');
    expect(await least('elastic')).toBe(2);
    await fixture.remove('elastic');
    // The minimum is three, and two fit.
    await fixture.create({ name: 'held', workers: 4, gpus: 3, elasticMin: 3, ...named });
    await fixture.until(async () => (await fixture.events('held')).some((event) => unschedulable.test(event)), 'held');
    expect(await fixture.placed('held')).toMatchObject({ placed: 0 });
    await fixture.remove('held');
  });

  it('starts a role that is created later as a separate group, completely or not at all', async () => {
    const fixture = of();
    await fixture.create({ name: 'filler', workers: 2, ...named });
    await fixture.until(async () => (await fixture.placed('filler')).placed === 3, 'filler');
    const startOrder = [{ role: 'Worker', dependsOn: ['Master'] }];
    await fixture.create({ name: 'ordered', workers: 7, runPolicy: { startOrder }, ...named });
    await fixture.until(
      async () => (await fixture.events('ordered')).some((event) => unschedulable.test(event)),
      'ordered',
      'filler',
    );
    const workers = (await fixture.pods('ordered')).filter(({ metadata }) => metadata?.name?.includes('worker'));
    expect(workers.filter(({ spec }) => spec?.nodeName !== undefined)).toEqual([]);
    await fixture.end('filler');
    await fixture.until(async () => {
      expect(await fixture.placed('ordered')).toEqual({ placed: 8, waiting: 0 });
      expect((await fixture.job('ordered')).status).toMatchObject({ state: 'Running', ready: '8/8' });
      return true;
    }, 'ordered');
    expect(await Promise.all([least('ordered'), least('ordered-worker')])).toEqual([1, 7]);
    await Promise.all([fixture.remove('filler'), fixture.remove('ordered')]);
  });
}

/** The running job; the others have no pod on a node. */
function running(fixture: GangFixture, names: readonly string[]): Promise<string> {
  return fixture.until(
    async () => {
      const all = await Promise.all(names.map(async (name) => ({ name, ...(await fixture.placed(name)) })));
      const whole = all.find(({ placed, waiting }) => placed === 5 && waiting === 0);
      expect(whole, JSON.stringify(all)).toBeDefined();
      expect(all.filter(({ placed }) => placed > 0)).toHaveLength(1);
      return whole?.name ?? '';
    },
    ...names,
  );
}
