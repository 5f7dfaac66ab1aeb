/**
 * Running jobs move from the real upstream operators to Muster and back, on simulated nodes: no pod is recreated, and a replica that is
 * lost afterwards is. Builds the operators if they are missing, which takes minutes.
 */
import { SIMULATE_EXIT_CODE_ANNOTATION, SIMULATE_LABEL } from '@muster/cluster';
import { PODS } from '@muster/job-api';
import { UPSTREAM_OPERATORS, type UpstreamName } from '@muster/schedulers';
import { eventually } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOVED_KINDS, type MovedKind } from '../test-support/moved-kinds.ts';
import { NAMESPACE, TakeoverFixture, type JobState } from '../test-support/takeover-fixture.ts';

const LIMIT_MS = 900_000;
const BUILD_LIMIT_MS = 3_600_000;

/** Before the name of a kind: jobs by the operator that creates their pods. */
const MOVED = 'moved';
const OF_MUSTER = 'started';
const MARKER = 'marker';

const named = (prefix: string, { resource }: MovedKind) => `${prefix}-${resource.kind.toLowerCase()}`;

describe.each(Object.keys(UPSTREAM_OPERATORS) as UpstreamName[])('%s', { timeout: LIMIT_MS }, (operator) => {
  const kinds = MOVED_KINDS.filter((kind) => kind.operator === operator);
  const frameworks = [...new Set(kinds.map(({ framework }) => framework))];
  const rows = kinds.map((kind) => [kind.resource.kind, kind] as const);
  let fixture: TakeoverFixture;
  const before = new Map<string, JobState>();

  beforeAll(async () => {
    fixture = await TakeoverFixture.up(`take-${operator.slice(0, 4)}-${process.pid}`, operator, 'simulated');
    await createAll(MOVED);
  }, BUILD_LIMIT_MS);

  afterAll(() => fixture?.down(), LIMIT_MS);

  async function createAll(prefix: string): Promise<void> {
    for (const kind of kinds) await fixture.create(kind, named(prefix, kind));
    for (const kind of kinds) await fixture.toRun(kind, named(prefix, kind));
  }

  async function remember(prefix: string): Promise<void> {
    for (const kind of kinds) before.set(named(prefix, kind), await fixture.state(kind, named(prefix, kind)));
  }

  function remembered(name: string): JobState {
    const state = before.get(name);
    if (state === undefined) throw new Error(`${name} was not running`);
    return state;
  }

  /** The program of the pod is killed, or the pod is deleted. Waits until another pod runs in its place. */
  async function lose(kind: MovedKind, name: string): Promise<void> {
    const pods = await fixture.podsOf(name);
    const [lost] = pods.filter(({ metadata }) => kind.lost.pod.test(metadata?.name ?? ''));
    const key = { namespace: NAMESPACE, name: lost?.metadata?.name ?? '' };
    if (kind.lost.by === 'deletion') await fixture.client.delete(PODS, key);
    else {
      const failing = { labels: { [SIMULATE_LABEL]: 'fail' }, annotations: { [SIMULATE_EXIT_CODE_ANNOTATION]: '137' } };
      await fixture.client.patch(PODS, key, { metadata: failing });
    }
    await fixture.until(kind, name, async () => {
      const uids = (await fixture.podsOf(name)).map(({ metadata }) => metadata?.uid);
      return uids.length === kind.pods && !uids.includes(lost?.metadata?.uid);
    });
    await fixture.toRun(kind, name);
    const kept = pods.filter((pod) => pod !== lost).map(({ metadata }) => [metadata?.name, metadata?.uid]);
    const now = (await fixture.podsOf(name)).map(({ metadata }) => [metadata?.name, metadata?.uid]);
    expect(now).toEqual(expect.arrayContaining(kept));
    if (kind.renames !== true) expect(now.map(([each]) => each)).toContain(key.name);
  }

  async function succeed(kind: MovedKind, name: string): Promise<void> {
    for (const { metadata } of await fixture.podsOf(name)) {
      if (!kind.ends?.test(metadata?.name ?? '')) continue;
      await fixture.client.patch(
        PODS,
        { namespace: NAMESPACE, name: metadata?.name ?? '' },
        { metadata: { labels: { [SIMULATE_LABEL]: 'succeed' } } },
      );
    }
    await fixture.until(kind, name, async () => {
      const { conditions = [] } = await fixture.statusOf(kind, name);
      return conditions.some(({ type, status }) => type === 'Succeeded' && status === 'True');
    });
  }

  /** The pods, the Services, and the counts and times in the status are the same as before. */
  async function expectUntouched(kind: MovedKind, name: string): Promise<void> {
    const [then, now] = [remembered(name), await fixture.state(kind, name)];
    expect(now.pods).toEqual(then.pods);
    expect(now.services).toMatchObject(then.services);
    expect(now.status.startTime).toBe(then.status.startTime);
    expect(actives(now)).toEqual(actives(then));
    expect(conditionsOf(now)).toEqual(conditionsOf(then));
  }

  describe('muster preflight', () => {
    const fixes = async () => (await Promise.all(frameworks.map((name) => fixture.preflight(name)))).flat();

    it('prints the commands that stop the operator and delete its webhook, until only the CRDs are left', async () => {
      await fixture.upstream.install();
      for (const name of frameworks) {
        expect(await fixture.preflight(name)).toContainEqual(
          expect.stringMatching(/^kubectl -n \S+ scale deployment /),
        );
      }
      await fixture.upstream.stop();
      await eventually(
        async () => {
          const commands = (await fixes()).filter((command) => command.startsWith('kubectl '));
          for (const command of new Set(commands)) await fixture.shell(command);
          return commands.length === 0;
        },
        { describe: fixes },
      );
      expect((await fixes()).filter((command) => !/^helm install .* --take-ownership /.test(command))).toEqual([]);
      await fixture.upstream.uninstall();
    });
  });

  describe('a running job that Muster takes over', () => {
    beforeAll(async () => {
      await remember(MOVED);
      await fixture.upstream.stop();
      await fixture.startMuster(frameworks);
      // Muster handles jobs in their order: its first runs of the older ones are over when these run.
      await createAll(OF_MUSTER);
    }, LIMIT_MS);

    it.each(rows)('%s: keeps its pods, Services, counts and times', async (_kind, kind) => {
      await expectUntouched(kind, named(MOVED, kind));
    });

    it('is not counted as created, restarted or ended', async () => {
      const created = Object.fromEntries(
        frameworks.map((name) => {
          const own = kinds.filter(({ framework }) => framework === name);
          return [name, own.reduce((sum, { counted = 1 }) => sum + counted, 0)];
        }),
      );
      expect(await fixture.counted('training_operator_jobs_created_total')).toEqual(created);
      const none = Object.fromEntries(frameworks.map((name) => [name, 0]));
      expect(await fixture.counted('training_operator_jobs_restarted_total')).toEqual(none);
      expect(await fixture.counted('training_operator_jobs_failed_total')).toEqual(none);
      expect(await fixture.counted('training_operator_jobs_successful_total')).toEqual(none);
    });

    it.each(rows)('%s: gets another pod for a lost one', async (_kind, kind) => {
      const name = named(MOVED, kind);
      await lose(kind, name);
      const { restartCount = 0 } = await fixture.statusOf(kind, name);
      expect(restartCount).toBe(kind.lost.by === 'SIGKILL' ? 1 : 0);
    });
  });

  describe('a running job that the upstream operator takes over', () => {
    beforeAll(async () => {
      await remember(MOVED);
      await remember(OF_MUSTER);
      await fixture.goBack(kinds);
      await createAll(MARKER);
    }, LIMIT_MS);

    describe.each([MOVED, OF_MUSTER])('%s', (prefix) => {
      it.each(rows)('%s: keeps its pods, Services, counts and times', async (_kind, kind) => {
        await expectUntouched(kind, named(prefix, kind));
      });

      it.each(rows)('%s: gets another pod for a lost one', async (_kind, kind) => {
        await lose(kind, named(prefix, kind));
      });

      it.each(rows.filter(([, { ends }]) => ends !== undefined))('%s: succeeds', async (_kind, kind) => {
        await succeed(kind, named(prefix, kind));
      });
    });
  });
});

function actives({ status }: JobState): object {
  return Object.fromEntries(
    Object.entries(status.replicaStatuses ?? {}).map(([role, { active = 0 }]) => [role, active]),
  );
}

/** Created may be written as older than Running, so that clients find the newest condition. */
function conditionsOf({ status }: JobState): object {
  const { conditions = [] } = status;
  return Object.fromEntries(
    conditions.flatMap(({ type, status: is, lastTransitionTime }) =>
      is === 'True' ? [[type, type === 'Created' ? '' : lastTransitionTime]] : [],
    ),
  );
}
