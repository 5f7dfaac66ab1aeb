import { Semaphore, type Clock } from '@muster/controller';
import { describe, expect, it } from 'vitest';
import type { Answer, Probe } from './probe.ts';
import { ProbePoller } from './probe-poller.ts';

function probesOf(job: string, count: number): Probe[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `${job}-${index}`,
    url: `http://${job}-${index}`,
    timeoutMs: 1000,
    everyMs: 10_000,
  }));
}

function pollerWithPending() {
  const time = { ms: 0 };
  const pending = new Map<string, { answer: (answer: Answer) => void; fail: (error: Error) => void }>();
  const poller = new ProbePoller({
    send: ({ name }) => new Promise((answer, fail) => pending.set(name, { answer, fail })),
    clock: { monotonic: () => time.ms, now: () => time.ms } as unknown as Clock,
    parallel: new Semaphore(64),
    changed: () => undefined,
  });
  return { poller, pending, time };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('ProbePoller', () => {
  it('sends requests of other jobs while a job of a thousand pods does not answer', async () => {
    const { poller, pending } = pollerWithPending();
    poller.poll('silent', 'uid-1', probesOf('silent', 1000));
    poller.poll('other', 'uid-2', probesOf('other', 1));
    await turn();
    expect(pending.size).toBe(17);
    expect([...pending.keys()]).toContain('other-0');
  });

  it('reports the time since the first attempt, with or without an answer', async () => {
    const { poller, pending, time } = pollerWithPending();
    const probes = probesOf('job', 1);
    for (const seconds of [0, 10, 20]) {
      time.ms = seconds * 1000;
      poller.poll('job', 'uid', probes);
      await turn();
      const { answer, fail } = pending.get('job-0')!;
      if (seconds === 10) fail(new Error('connect ETIMEDOUT'));
      else answer({ status: 200, body: {} });
      await turn();
      expect(poller.resultsOf('job', 'uid').get('job-0')).toMatchObject({ askedForMs: seconds * 1000 });
    }
    poller.poll('job', 'uid', []);
    poller.poll('job', 'uid', probes);
    await turn();
    pending.get('job-0')!.answer({ status: 200, body: {} });
    await turn();
    expect(poller.resultsOf('job', 'uid').get('job-0')).toMatchObject({ askedForMs: 0 });
  });

  it('reports for how long every attempt was answered, and resets it at the first failure', async () => {
    const { poller, pending, time } = pollerWithPending();
    const probes = probesOf('job', 1);
    const end = async (how: (pending: { answer: (answer: Answer) => void; fail: (error: Error) => void }) => void) => {
      poller.poll('job', 'uid', probes);
      await turn();
      how(pending.get('job-0')!);
      await turn();
    };
    await end(({ answer }) => answer({ status: 200, body: {} }));
    time.ms = 10_000;
    await end(({ answer }) => answer({ status: 200, body: {} }));
    time.ms = 12_000;
    expect(poller.resultsOf('job', 'uid').get('job-0')).toMatchObject({
      ageMs: 2000,
      triedMs: 2000,
      answeringMs: 12_000,
    });
    time.ms = 20_000;
    await end(({ fail }) => fail(new Error('connect ETIMEDOUT')));
    const result = poller.resultsOf('job', 'uid').get('job-0');
    expect(result).toMatchObject({ problem: 'connect ETIMEDOUT', ageMs: 10_000, triedMs: 0 });
    expect(result).not.toHaveProperty('answeringMs');
  });

  it('sends a call once while it has no answer', async () => {
    const { poller, pending } = pollerWithPending();
    const [call] = probesOf('job', 1) as [Probe];
    const first = poller.call('job', 'uid', call);
    await turn();
    const { answer } = pending.get('job-0')!;
    pending.clear();
    await poller.call('job', 'uid', call);
    expect(pending.size).toBe(0);
    answer({ status: 200, body: {} });
    await first;
    expect(poller.resultsOf('job', 'uid').get('job-0')).toMatchObject({ answer: { status: 200 } });
  });
});
