import { setImmediate as nextTurn } from 'node:timers/promises';
import { KubeError } from '@muster/kube';
import { Registry } from 'prom-client';
import { eventually } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { metricValue } from '../test-support/metric-value.ts';
import { RecordedLog } from '../test-support/recorded-log.ts';
import { ManualClock } from './clock.ts';
import { Controller, type Reconcile, type ReconcileResult } from './controller.ts';
import { TerminalError } from './terminal-error.ts';
import { WorkQueue } from './work-queue.ts';

function setUp(reconcile: Reconcile, workers = 2) {
  const clock = new ManualClock();
  const registry = new Registry();
  const log = new RecordedLog();
  const queue = new WorkQueue({ name: 'jobs', registry, clock });
  const controller = new Controller({ name: 'jobs', reconcile, queue, workers, registry, logger: log, clock });
  const count = (name: string, labels: Record<string, string> = {}): Promise<number | undefined> =>
    metricValue(registry, `controller_runtime_${name}`, { controller: 'jobs', ...labels });
  return { clock, registry, log, queue, controller, count };
}

const conflict = new KubeError('PUT jobs/a: the object has been modified', { code: 409, reason: 'Conflict' });

describe('Controller', () => {
  it.each<[ReconcileResult, number]>([
    [{}, 0],
    [{ panicked: false }, 0],
    [{ panicked: true }, 1],
    [{ panicked: true, error: new TerminalError('a defect') }, 1],
  ])('counts for the result %j %d panics', async (result, panics) => {
    const { controller, queue, count } = setUp(() => Promise.resolve(result));
    controller.start();
    queue.add('ns/a');
    await eventually(async () => (await count('reconcile_time_seconds_count')) === 1);
    expect(await count('reconcile_panics_total')).toBe(panics);
    await controller.stop(1000);
  });

  const cases: {
    end: string;
    reconcile: () => Promise<ReconcileResult | void>;
    result: string;
    againAfterMs: number | undefined;
    requeues: number;
    errors: number;
    terminal: number;
    errorLines: number;
  }[] = [
    {
      end: 'success',
      reconcile: () => Promise.resolve(),
      result: 'success',
      againAfterMs: undefined,
      requeues: 0,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'a time to look again',
      reconcile: () => Promise.resolve({ requeueAfterMs: 7000 }),
      result: 'requeue_after',
      againAfterMs: 7000,
      requeues: 0,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'a conflict',
      reconcile: () => Promise.reject(conflict),
      result: 'requeue',
      againAfterMs: 5,
      requeues: 1,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'a conflict with context',
      reconcile: () => Promise.reject(new Error('status of a', { cause: conflict })),
      result: 'requeue',
      againAfterMs: 5,
      requeues: 1,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'parallel conflicts',
      reconcile: () => Promise.reject(new AggregateError([conflict, new TerminalError('no')])),
      result: 'requeue',
      againAfterMs: 5,
      requeues: 1,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'a terminal error',
      reconcile: () => Promise.reject(new TerminalError('spec.replicas is missing')),
      result: 'error',
      againAfterMs: undefined,
      requeues: 0,
      errors: 1,
      terminal: 1,
      errorLines: 1,
    },
    {
      end: 'an outage',
      reconcile: () => Promise.reject(new KubeError('no answer', { code: 0, reason: 'Unreachable' })),
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'an outage among conflicts',
      reconcile: () => Promise.reject(new AggregateError([conflict, new Error('cut')])),
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a bug that throws before it awaits',
      reconcile: () => {
        throw new TypeError('x is undefined');
      },
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a thrown value that is not an Error',
      reconcile: () => Promise.reject(JSON.parse('"text"') as Error),
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a failure with a requeueAfterMs shorter than its back-off',
      reconcile: () => Promise.resolve({ error: new Error('quota'), requeueAfterMs: 2 }),
      result: 'error',
      againAfterMs: 2,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a failure with a requeueAfterMs longer than its back-off',
      reconcile: () => Promise.resolve({ error: new Error('quota'), requeueAfterMs: 7000 }),
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a failure with a requeueAfterMs of 0',
      reconcile: () => Promise.resolve({ error: new Error('quota'), requeueAfterMs: 0 }),
      result: 'error',
      againAfterMs: 5,
      requeues: 1,
      errors: 1,
      terminal: 0,
      errorLines: 1,
    },
    {
      end: 'a conflict with a requeueAfterMs',
      reconcile: () => Promise.resolve({ error: conflict, requeueAfterMs: 2 }),
      result: 'requeue',
      againAfterMs: 2,
      requeues: 1,
      errors: 0,
      terminal: 0,
      errorLines: 0,
    },
    {
      end: 'a terminal error with a requeueAfterMs',
      reconcile: () => Promise.resolve({ error: new TerminalError('no'), requeueAfterMs: 7000 }),
      result: 'error',
      againAfterMs: 7000,
      requeues: 0,
      errors: 1,
      terminal: 1,
      errorLines: 1,
    },
  ];
  it.each(cases)('treats $end as "$result"', async (expected) => {
    let runs = 0;
    const { clock, log, queue, controller, count } = setUp(() => {
      runs += 1;
      return runs === 1 ? expected.reconcile() : Promise.resolve();
    });
    controller.start();
    queue.add('ns/a');
    await eventually(async () => (await count('reconcile_time_seconds_count')) === 1, {
      describe: 'the first run ended',
    });
    expect(await count('reconcile_total', { result: expected.result })).toBe(1);
    expect(await count('reconcile_errors_total')).toBe(expected.errors);
    expect(await count('terminal_reconcile_errors_total')).toBe(expected.terminal);
    expect(log.at('error')).toHaveLength(expected.errorLines);
    expect(queue.requeues('ns/a')).toBe(expected.requeues);
    if (expected.againAfterMs === undefined) {
      clock.advance(10_000_000);
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      expect(runs).toBe(1);
    } else {
      clock.advance(expected.againAfterMs - 1);
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      expect(runs).toBe(1);
      clock.advance(1);
      await eventually(async () => (await count('reconcile_time_seconds_count')) === 2, { describe: 'it ran again' });
      expect(queue.requeues('ns/a')).toBe(0);
    }
    await controller.stop(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('logs the object, the run and the whole chain of causes on every line', async () => {
    const { log, queue, controller } = setUp((_key, context) => {
      context.log.info('working');
      return Promise.reject(new Error('create pod', { cause: new Error('quota') }));
    });
    controller.start();
    queue.add('team/job');
    await eventually(() => log.at('error').length === 1, {
      describe: () => ({ expected: 'the failure is logged', seen: log.lines }),
    });
    const fields = log.at('info')[0]?.fields;
    expect(fields).toMatchObject({ controller: 'jobs', namespace: 'team', name: 'job' });
    expect(log.at('error')[0]?.fields).toMatchObject({ ...fields, error: 'create pod: quota', failures: 1 });
    await controller.stop(0);
  });

  it('names a cluster-scoped object without a namespace', async () => {
    const { log, queue, controller } = setUp((_key, context) => Promise.resolve(context.log.info('working')));
    controller.start();
    queue.add('node-1');
    await eventually(() => log.at('info').length === 1, { describe: 'it ran' });
    expect(log.at('info')[0]?.fields).not.toHaveProperty('namespace');
    expect(log.at('info')[0]?.fields).toMatchObject({ name: 'node-1' });
    await controller.stop(0);
  });

  it('keeps all its workers whatever a reconcile throws', async () => {
    const { queue, controller, count } = setUp((key) => {
      if (Number(key) % 2 === 0) throw new Error('odd keys only');
      return Promise.reject(new TerminalError('never'));
    }, 2);
    controller.start();
    for (let key = 0; key < 50; key += 1) queue.add(String(key));
    await eventually(async () => (await count('reconcile_time_seconds_count')) === 50, { describe: 'all ran' });
    expect(await count('active_workers')).toBe(0);
    expect(await count('max_concurrent_reconciles')).toBe(2);
    await controller.stop(0);
  });

  it('runs as many keys at once as it has workers, and no key twice at once', async () => {
    const running = new Set<string>();
    let most = 0;
    let runs = 0;
    const { queue, controller } = setUp(async (key) => {
      expect(running.has(key)).toBe(false);
      running.add(key);
      most = Math.max(most, running.size);
      queue.add(`k${runs % 7}`);
      await nextTurn();
      running.delete(key);
      runs += 1;
    }, 3);
    controller.start();
    for (let key = 0; key < 7; key += 1) queue.add(`k${key}`);
    await eventually(() => runs > 200, { describe: 'many ran' });
    expect(most).toBe(3);
    await controller.stop(10_000);
  });

  it('does not let a key that requeues itself at once starve the others', async () => {
    const order: string[] = [];
    const { queue, controller } = setUp((key) => {
      order.push(key);
      return Promise.resolve(key === 'greedy' ? { requeueAfterMs: 0 } : {});
    }, 1);
    queue.add('greedy');
    for (let key = 0; key < 20; key += 1) queue.add(`k${key}`);
    controller.start();
    await eventually(() => order.includes('k19'), { describe: () => ({ expected: 'all ran', seen: order }) });
    expect(order.slice(0, order.indexOf('k19')).filter((key) => key === 'greedy')).toHaveLength(1);
    await controller.stop(0);
  });

  it('yields to the event loop between synchronous reconciles', async () => {
    let runs = 0;
    const { queue, controller } = setUp(() => {
      runs += 1;
      return Promise.resolve();
    }, 4);
    for (let key = 0; key < 5000; key += 1) queue.add(`k${key}`);
    controller.start();
    await nextTurn();
    await nextTurn();
    expect(runs).toBeGreaterThan(0);
    expect(runs).toBeLessThan(100);
    await controller.stop(0);
  });
});

describe('Controller.stop', () => {
  it('waits for the running reconciles and takes no further key', async () => {
    const gate = Promise.withResolvers<void>();
    const ran: string[] = [];
    const { clock, queue, controller } = setUp(async (key) => {
      ran.push(key);
      await gate.promise;
    }, 1);
    controller.start();
    queue.add('a');
    queue.add('b');
    await eventually(() => ran.length === 1, { describe: 'a runs' });
    const stopped = controller.stop(1000);
    gate.resolve();
    await stopped;
    expect(ran).toEqual(['a']);
    expect(clock.pendingTimers).toBe(0);
  });

  it('aborts what still runs at the deadline, without counting it as a failure', async () => {
    const { clock, log, queue, controller, count } = setUp(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    );
    controller.start();
    queue.add('a');
    await eventually(async () => (await count('active_workers')) === 1, { describe: 'a runs' });
    const stopped = controller.stop(1000);
    clock.advance(750);
    await stopped;
    expect(await count('reconcile_errors_total')).toBe(0);
    expect(log.at('warn')[0]?.fields).toMatchObject({ keys: ['a'] });
  });

  it('reports a reconcile that continues after it was aborted', async () => {
    const { clock, queue, controller, count, log } = setUp(() => new Promise(() => undefined));
    controller.start();
    queue.add('ns/stuck');
    await eventually(async () => (await count('active_workers')) === 1, { describe: 'it runs' });
    const stopped = expect(controller.stop(1000)).rejects.toThrow('reconcile of ns/stuck continues');
    clock.advance(750);
    await eventually(() => log.at('warn').length === 1, { describe: 'it was aborted' });
    clock.advance(250);
    await stopped;
  });

  it('returns at once when nothing runs, also before start', async () => {
    const { controller } = setUp(() => Promise.resolve());
    await controller.stop(1000);
    expect(() => {
      controller.start();
      controller.start();
    }).toThrow('start it once');
  });
});
