/**
 * Time accounts on a real node: faults at known times in jobs of every framework, while operators are killed. The truth is in the reports of
 * the kubelets, which the test reads by a watch of its own.
 */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { OperatorProcess } from '@muster/install';
import {
  crdFor,
  FRAMEWORKS,
  momentOf,
  PODS,
  TIME_ACCOUNTS,
  type FrameworkName,
  type JobStatus,
  type KubeObject,
  type Resource,
  type TimeAccount,
  type TimeAccounts,
} from '@muster/job-api';
import { eventually, installCrd, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { podHistory, seconds, type Interval } from '../test-support/pod-history.ts';
import {
  containerThat,
  COUNTING,
  IMAGE,
  INIT,
  replicasOf,
  TIMED_KINDS,
  TIMED_RAY,
  timedJob,
  type Timed,
  type TimedKind,
} from '../test-support/timed-jobs.ts';

const LIMIT_MS = 600_000;
/** Retried under every restart policy. */
const RETRIED = 138;
/** The least duration of a fault that the test ends. */
const STEP_MS = 6000;

/** What programs report is polled every second, and written with a status, every four seconds. */
const POLLED_S = 6;

const NODES: Resource<KubeObject> = {
  ...{ group: '', version: 'v1', kind: 'Node', plural: 'nodes', namespaced: false },
};

const cluster = await testCluster();
const { client } = cluster;
let namespace = '';
let orders = '';
const operators = new Map<FrameworkName, OperatorProcess>();

beforeAll(async () => {
  namespace = await cluster.namespace();
  orders = await mkdtemp(join(tmpdir(), 'muster-orders-'));
  await chmod(orders, 0o777);
  for (const framework of [...TIMED_KINDS.map((kind) => kind.framework), 'ray' as const]) {
    for (const definition of FRAMEWORKS[framework]) await installCrd(client, crdFor(definition));
    startOperator(framework);
  }
}, LIMIT_MS);

afterAll(async () => {
  await Promise.all([...operators.values()].map((operator) => operator.stop()));
  await rm(orders, { recursive: true });
});

const pods = podHistory(client, () => namespace);

function startOperator(framework: FrameworkName): void {
  const { kubeconfig } = cluster;
  const flags = framework === 'pytorch-elastic' ? ['--pytorch-init-container-image', IMAGE] : [];
  operators.set(
    framework,
    new OperatorProcess({ framework, kubeconfig, namespaces: [namespace], flags, logFolder: orders }),
  );
}

class TimedRun {
  readonly #resource: Resource<Timed>;
  readonly name: string;
  readonly replicas: readonly RegExp[];
  #seen: Timed | undefined;

  constructor({ resource }: Pick<TimedKind, 'resource'>, name: string, replicas: readonly RegExp[]) {
    this.#resource = resource;
    this.name = name;
    this.replicas = replicas;
  }

  static of(kind: TimedKind, name: string): TimedRun {
    return new TimedRun(kind, name, replicasOf(name, kind));
  }

  async create(job: Timed): Promise<void> {
    await client.create(this.#resource, { ...job, metadata: { ...job.metadata, namespace } });
  }

  async patch(patch: object): Promise<void> {
    await client.patch(this.#resource, { namespace, name: this.name }, patch);
  }

  async toBe(what: string, holds: (job: Timed) => boolean): Promise<Timed> {
    return eventually(
      async () => {
        this.#seen = withRecord(await client.get(this.#resource, { namespace, name: this.name }));
        return holds(this.#seen) && this.#seen;
      },
      { withinMs: LIMIT_MS, describe: () => ({ what, status: this.#seen?.status, running: this.running() }) },
    );
  }

  async toHave(account: TimeAccount): Promise<Timed> {
    return this.toBe(`account ${account}`, ({ status }) => status?.timeAccounts?.account === account);
  }

  /** Since when all replicas have run; undefined if one does not. */
  running(): Interval | undefined {
    return pods.allRunning(this.replicas, Infinity).find(({ toMs }) => toMs === Infinity);
  }

  /** Waits until all run, by the kubelets and by the status, after one that ran before has ended. */
  async allToRunAgain(before: Interval | undefined, account: TimeAccount = 'Running'): Promise<Interval> {
    const now = await eventually(
      () => {
        const running = this.running();
        return running?.fromMs !== before?.fromMs && running;
      },
      { withinMs: LIMIT_MS, describe: async () => ({ before, status: (await this.toBe('', () => true)).status }) },
    );
    await this.toHave(account);
    return now;
  }

  async podOf(replica: RegExp): Promise<string> {
    const { items } = await client.list(PODS, { namespace });
    return items.find(({ metadata }) => replica.test(metadata?.name ?? ''))?.metadata?.name ?? '';
  }

  async end(replica: RegExp, code: number): Promise<void> {
    await writeFile(join(orders, await this.podOf(replica)), String(code));
  }
}

/** Ray's kinds have a status of KubeRay, with Muster's in a field. */
function withRecord(job: Timed): Timed {
  const { muster, ...status } = (job.status ?? {}) as JobStatus & { readonly muster?: JobStatus };
  return muster === undefined ? job : { ...job, status: { ...muster, ...status } };
}

/** The intervals without any of these, between the first and the last. */
function between(known: readonly Interval[]): Interval[] {
  const sorted = [...known].sort((a, b) => a.fromMs - b.fromMs);
  return sorted.slice(1).map(({ fromMs }, index) => ({ fromMs: sorted[index]!.toMs, toMs: fromMs }));
}

/**
 * The accounts add up to the life of the job (of one that does not end, until they were written) within a second, and each one, or some together, to its intervals within two.
 *
 * @param truth by account, or by several accounts with spaces between them
 */
function check(
  name: string,
  job: Timed,
  truth: Readonly<Record<string, readonly Interval[]>>,
  mostS = 2,
): TimeAccounts {
  const { timeAccounts } = job.status ?? {};
  const secondsOf = (account: string) => timeAccounts?.accounts[account]?.seconds ?? 0;
  const [createdMs, endMs] = lifeOf(job);
  const rows = Object.entries(truth).map(([accounts, intervals]) => {
    const counted = accounts.split(' ').reduce((sum, account) => sum + secondsOf(account), 0);
    return { accounts, truth: seconds(intervals), counted };
  });
  const shown = `${name}: ${JSON.stringify({ rows, timeAccounts })}`;
  console.log(shown);
  const total = TIME_ACCOUNTS.reduce((sum, account) => sum + secondsOf(account), 0);
  expect(Math.abs(total - (endMs - createdMs) / 1000), shown).toBeLessThanOrEqual(1);
  for (const { accounts, truth: truly, counted } of rows)
    expect(Math.abs(counted - truly), `${accounts} of ${shown}`).toBeLessThanOrEqual(mostS);
  return timeAccounts!;
}

function lifeOf({ metadata, status }: Timed): [createdMs: number, endMs: number] {
  const endTime = status?.completionTime ?? status?.timeAccounts?.until;
  return [momentOf(metadata?.creationTimestamp) ?? NaN, momentOf(endTime) ?? NaN];
}

/** What the program of `COUNTING` wrote. */
async function stepsIn(file: string): Promise<{ readonly step: number; readonly atMs: number }[]> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const [step, atMs] = line.split(' ').map(Number);
    return { step: step!, atMs: atMs! };
  });
}

async function longestPause(file: string): Promise<Interval> {
  const steps = await stepsIn(file);
  const pauses = steps.slice(1).map(({ atMs }, index) => ({ fromMs: steps[index]!.atMs, toMs: atMs }));
  return pauses.reduce((longest, each) => (seconds([each]) > seconds([longest]) ? each : longest));
}

function transitionMs({ status }: Timed, type: string): number {
  return momentOf(status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime) ?? NaN;
}

describe.concurrent('the time accounts of a job on a real node', { timeout: 3 * LIMIT_MS }, () => {
  it.for(TIMED_KINDS)('of $framework are those of its faults', async (kind) => {
    const run = TimedRun.of(kind, `timed-${kind.framework}`);
    const victim = run.replicas.at(-1)!;
    await run.create(timedJob(kind, run.name, orders));
    let running = await run.allToRunAgain(undefined);

    await wait(STEP_MS);

    // A program fails. The leader dies with the news, and another process has to wait for its Lease.
    const operator = operators.get(kind.framework)!;
    await run.end(victim, RETRIED);
    await eventually(() => run.running() === undefined, { withinMs: LIMIT_MS, describe: () => `${victim} fails` });
    operator.kill('SIGKILL');
    startOperator(kind.framework);
    running = await run.allToRunAgain(running);
    await run.toBe('the failure is counted', ({ status }) => (status?.restartCount ?? 0) > 0);
    await wait(STEP_MS);

    // A pod is deleted.
    await client.delete(PODS, { namespace, name: await run.podOf(victim) });
    running = await run.allToRunAgain(running);
    await wait(STEP_MS);

    // A person suspends and resumes the job.
    await run.patch({ spec: { runPolicy: { suspend: true } } });
    const suspended = await run.toBe('suspended', ({ status }) => status?.state === 'Suspended');
    await wait(STEP_MS);
    await run.patch({ spec: { runPolicy: { suspend: false } } });
    running = await run.allToRunAgain(running);
    await wait(STEP_MS);

    for (const replica of run.replicas) await run.end(replica, 0);
    const ended = await run.toBe('the end', ({ status }) => status?.completionTime !== undefined);

    expect(ended.status?.state, JSON.stringify(ended.status)).toBe('Succeeded');
    const [createdMs, endMs] = lifeOf(ended);
    const suspendedMs = transitionMs(suspended, 'Suspended');
    const later = run.replicas.flatMap((replica) => pods.created(replica).filter((each) => each > suspendedMs));
    const resumedMs = Math.min(...later);
    const all = pods.allRunning(run.replicas, endMs);
    const starts = [
      { fromMs: createdMs, toMs: all[0]!.fromMs },
      { fromMs: resumedMs, toMs: running.fromMs },
    ];
    const stop = [{ fromMs: suspendedMs, toMs: resumedMs }];
    const finishing = [{ fromMs: all.at(-1)!.toMs, toMs: endMs }];
    const restarting = between([...all, ...starts, ...stop, ...finishing]);
    const accounts = check(run.name, ended, {
      ...{ Running: all, Suspended: stop, Finishing: finishing, Restarting: restarting },
      'Queued Unscheduled Starting': starts,
    });
    const lost = Object.values(accounts.losses ?? {}).reduce((sum, { seconds: each = 0 }) => sum + each, 0);
    expect(lost, JSON.stringify(accounts)).toBe(accounts.accounts['Restarting']?.seconds);
    // A deletion by a person is no failure, so it begins no attempt.
    expect(accounts.attempts.length, JSON.stringify(accounts)).toBeGreaterThan(1);
  });

  it('of a RayCluster, which does not end, are those of its faults', async () => {
    await writeFile(join(orders, 'ray'), TIMED_RAY.program, { mode: 0o755 });
    const name = 'timed-ray';
    const run = new TimedRun(TIMED_RAY, name, TIMED_RAY.replicas(name));
    const worker = run.replicas[1]!;
    const suspend = (is: boolean) => run.patch({ spec: { suspend: is } });
    await run.create(TIMED_RAY.cluster(name, orders));
    let running = await run.allToRunAgain(undefined);
    await wait(STEP_MS);

    await client.delete(PODS, { namespace, name: await run.podOf(worker) });
    running = await run.allToRunAgain(running);
    await wait(STEP_MS);

    // The kubelet restarts the container. The leader is killed meanwhile.
    const operator = operators.get('ray')!;
    await run.end(worker, RETRIED);
    await eventually(() => run.running() === undefined, { withinMs: LIMIT_MS, describe: () => 'the worker fails' });
    operator.kill('SIGKILL');
    startOperator('ray');
    running = await run.allToRunAgain(running);
    await wait(STEP_MS);

    await suspend(true);
    const suspended = await run.toHave('Suspended');
    await wait(STEP_MS);
    await suspend(false);
    running = await run.allToRunAgain(running);
    await wait(STEP_MS);
    await suspend(true);
    const ended = await run.toHave('Suspended');

    const [createdMs, endMs] = lifeOf(ended);
    const [, suspendedMs] = lifeOf(suspended);
    const later = run.replicas.flatMap((replica) => pods.created(replica).filter((each) => each > suspendedMs));
    const resumedMs = Math.min(...later);
    const all = pods.allRunning(run.replicas, endMs);
    const starts = [
      { fromMs: createdMs, toMs: all[0]!.fromMs },
      { fromMs: resumedMs, toMs: running.fromMs },
    ];
    const stop = [{ fromMs: suspendedMs, toMs: resumedMs }];
    const end = { fromMs: endMs, toMs: endMs };
    check(name, ended, {
      ...{ Running: all, Suspended: stop, 'Restarting Degraded': between([...all, ...starts, ...stop, end]) },
      'Queued Unscheduled Starting': starts,
    });
  });

  it('of a job that is held, waits for a node, starts slowly, is scaled up and ends in parts', async () => {
    const tensorflow = TIMED_KINDS[0]!;
    const kind = {
      ...tensorflow,
      more: { enableDynamicWorker: true, successPolicy: 'AllWorkers' },
      roles: { Worker: 2 },
    };
    const run = TimedRun.of(kind, 'timed-slow');
    const label = `muster.dev/${run.name}`;
    const more = {
      schedulingGates: [{ name: 'muster.dev/later' }],
      nodeSelector: { [label]: 'yes' },
      initContainers: [INIT],
    };
    await run.create(timedJob(kind, run.name, orders, more));
    const held = await run.toHave('Queued');
    await wait(STEP_MS);
    const names = await Promise.all(run.replicas.map((replica) => run.podOf(replica)));
    for (const name of names) await client.patch(PODS, { namespace, name }, { spec: { schedulingGates: null } });
    const freedMs = Date.now();

    await run.toHave('Unscheduled');
    await wait(STEP_MS);
    const node = (await client.list(NODES)).items[0]?.metadata?.name ?? '';
    await client.patch(NODES, { name: node }, { metadata: { labels: { [label]: 'yes' } } });
    const acceptedMs = await eventually(() => pods.accepted(run.replicas), {
      withinMs: LIMIT_MS,
      describe: () => held.status,
    });
    await wait(STEP_MS);
    for (const name of names) await writeFile(join(orders, `start-${name}`), '');
    const running = await run.allToRunAgain(undefined);

    const third = `${run.name}-worker-2`;
    await run.patch({ spec: { tfReplicaSpecs: { Worker: { replicas: 3 } } } });
    await run.toHave('Degraded');
    await wait(STEP_MS);
    // The added pod has a gate as well.
    await client.patch(PODS, { namespace, name: third }, { spec: { schedulingGates: null } });
    await writeFile(join(orders, `start-${third}`), '');
    const all = [...run.replicas, new RegExp(`^${third}$`)];
    const complete = await eventually(() => pods.allRunning(all, Infinity)[0], {
      withinMs: LIMIT_MS,
      describe: () => third,
    });
    await run.toHave('Running');
    await wait(STEP_MS);

    await run.end(run.replicas[1]!, 0);
    await run.toHave('Finishing');
    await wait(STEP_MS);
    for (const replica of [run.replicas[0]!, all[2]!]) await run.end(replica, 0);
    const ended = await run.toBe('the end', ({ status }) => status?.completionTime !== undefined);
    const [createdMs, endMs] = lifeOf(ended);
    const podsMs = Math.max(...run.replicas.flatMap((replica) => pods.created(replica)));
    const firstEndMs = pods.allRunning(all, endMs).at(-1)!.toMs;
    const degraded = { fromMs: Math.min(...pods.created(all[2]!)), toMs: complete.fromMs };
    check(run.name, ended, {
      Queued: [{ fromMs: podsMs, toMs: freedMs }],
      Unscheduled: [
        { fromMs: createdMs, toMs: podsMs },
        { fromMs: freedMs, toMs: acceptedMs },
      ],
      Starting: [{ fromMs: acceptedMs, toMs: running.fromMs }],
      Degraded: [degraded],
      Finishing: [{ fromMs: firstEndMs, toMs: endMs }],
    });
  });

  it('of a job that stalls, restarts, and repeats its steps', async () => {
    const kind = { ...TIMED_KINDS[1]!, roles: { Worker: 2 } };
    const run = TimedRun.of(kind, 'timed-steps');
    const main = { ...containerThat(COUNTING, kind.container), ports: [{ name: 'progress', containerPort: 8081 }] };
    const job = timedJob(kind, run.name, orders, { containers: [main] });
    const runPolicy = { progressDeadlineSeconds: 10, failurePolicy: { rules: [{ action: 'RestartJob' }] } };
    await run.create({ ...job, spec: { ...job.spec, runPolicy } });
    const first = await run.allToRunAgain(undefined);
    await run.toBe('20 steps', ({ status }) => (status?.progress?.step ?? 0) >= 20);

    const [zero, one] = [await run.podOf(run.replicas[0]!), await run.podOf(run.replicas[1]!)];
    for (const name of [zero, one]) await writeFile(join(orders, name), 'stall');
    await run.toHave('Stalled');
    await wait(STEP_MS);
    for (const name of [zero, one]) await rm(join(orders, name));
    await run.toHave('Running');
    // The other program may go on first.
    const stalled = await eventually(
      async () => {
        const pause = await longestPause(join(orders, `${zero}.steps`));
        return seconds([pause]) >= runPolicy.progressDeadlineSeconds && pause;
      },
      { withinMs: LIMIT_MS, describe: () => `${zero} goes on` },
    );

    await run.end(run.replicas[1]!, RETRIED);
    const again = await run.allToRunAgain(first, 'Recomputing');
    const { status } = await run.toHave('Running');
    const furthest = status?.timeAccounts?.furthestStep ?? 0;
    // The job is as far as the replica that is ahead.
    const steps = await Promise.all([zero, one].map((name) => stepsIn(join(orders, `${name}.steps`))));
    const caughtUpMs = Math.min(...steps.flatMap((of) => of.find(({ step }) => step >= furthest)?.atMs ?? []));
    for (const replica of run.replicas) await run.end(replica, 0);
    const ended = await run.toBe('the end', (seen) => seen.status?.completionTime !== undefined);
    const accounts = check(run.name, ended, { Recomputing: [{ fromMs: again.fromMs, toMs: caughtUpMs }] }, POLLED_S);
    // A stall is seen by polls, and only then has an account. The deadline of ten seconds is no part of it.
    const { seconds: stalledS = 0 } = accounts.accounts['Stalled'] ?? {};
    expect(stalledS, JSON.stringify(accounts)).toBeGreaterThanOrEqual(STEP_MS / 1000 - 1);
    expect(stalledS, JSON.stringify(accounts)).toBeLessThanOrEqual(seconds([stalled]) - 10 + 2);
  });
});
