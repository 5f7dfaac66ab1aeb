import type { KubeObject, Pod } from '@muster/job-api';
import { KubeError } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { followRun, runOf } from './follow-run.ts';

type State = NonNullable<NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]['state']>;

const pod = (state: State, restartCount = 0, lastState?: State): Pod => ({
  metadata: { name: 'mnist-worker-1', namespace: 'team', uid: 'uid' },
  status: {
    containerStatuses: [
      { name: 'pytorch', image: '', imageID: '', ready: false, restartCount, state, ...(lastState && { lastState }) },
    ],
  },
});
const running = pod({ running: {} });
const over = pod({ terminated: { exitCode: 0 } });
const at = (second: number, text: string) => `2026-01-01T00:00:0${second}.000000000Z ${text}\n`;

const cut = new KubeError('get log: no answer', { code: 0, reason: 'Unreachable' });
const gone = new KubeError('get log: not found', { code: 404, reason: 'NotFound' });
const forbidden = new KubeError('get log: forbidden', { code: 403, reason: 'Forbidden' });

/** Answers of the API server: the text and the end of each connection, and the pod after it. */
async function followed(connections: readonly (readonly [text: string, end?: Error])[], pods: readonly Pod[]) {
  const written: string[] = [];
  const warned: string[] = [];
  const requests: (string | null)[] = [];
  const [answers, states] = [[...connections], [...pods]];
  await followRun(
    {
      textStream: (path) => {
        requests.push(new URL(path, 'http://api').searchParams.get('sinceTime'));
        const [text = '', end] = answers.shift() ?? [];
        return Promise.resolve(
          (async function* () {
            yield await Promise.resolve(Buffer.from(text));
            if (end !== undefined) throw end;
          })(),
        );
      },
      get: <T extends KubeObject>() => Promise.resolve((states.shift() ?? over) as T),
    },
    { replica: { name: 'worker-1', pod: running }, container: 'pytorch' },
    {
      tailLines: undefined,
      write: (name, { text }) => written.push(`${name} ${text}`),
      warn: (message) => warned.push(message),
      signal: new AbortController().signal,
    },
  );
  return { written, warned, requests };
}

describe('the log of a container that is followed', () => {
  it('ends when the container has', async () => {
    const { written, requests } = await followed([[at(1, 'a') + at(2, 'b')]], [over]);
    expect({ written, requests }).toEqual({ written: ['worker-1 a', 'worker-1 b'], requests: [null] });
  });

  it('continues after a lost connection, with a warning', async () => {
    const { written, warned, requests } = await followed(
      [[at(1, 'a') + at(1, 'b'), cut], [at(1, 'b') + at(2, 'c')]],
      [over],
    );
    expect(written).toEqual(['worker-1 a', 'worker-1 b', 'worker-1 c']);
    expect(warned).toEqual(['worker-1: get log: no answer; retrying']);
    expect(requests).toEqual([null, '2026-01-01T00:00:01Z']);
  });

  it('continues when the stream ends while the container runs', async () => {
    const { written, warned } = await followed([[at(1, 'a')], [at(2, 'b')]], [running, over]);
    expect({ written, warned }).toEqual({ written: ['worker-1 a', 'worker-1 b'], warned: [] });
  });

  it('ends when the container restarts, which has another log', async () => {
    const { written } = await followed([[at(1, 'a')], [at(2, 'b')]], [pod({ running: {} }, 1)]);
    expect(written).toEqual(['worker-1 a']);
  });

  it('ends when the pod is gone', async () => {
    expect(await followed([[at(1, 'a'), gone]], [])).toMatchObject({ written: ['worker-1 a'], warned: [] });
  });

  it('throws without permission to read it', async () => {
    await expect(followed([['', forbidden]], [])).rejects.toBe(forbidden);
  });
});

describe('a run of a container', () => {
  it.each<[string, Pod, string | undefined]>([
    ['has no identifier before its start', pod({ waiting: { reason: 'ContainerCreating' } }), undefined],
    ['is the first', running, 'uid/pytorch/0'],
    ['has the same identifier after its end', over, 'uid/pytorch/0'],
    [
      'has another identifier after a restart',
      pod({ running: {} }, 1, { terminated: { exitCode: 1 } }),
      'uid/pytorch/1',
    ],
    [
      'is the one before while it waits to be started',
      pod({ waiting: {} }, 1, { terminated: { exitCode: 1 } }),
      'uid/pytorch/0',
    ],
  ])('%s', (_case, seen, run) => {
    expect(runOf(seen, 'pytorch')).toBe(run);
  });
});
