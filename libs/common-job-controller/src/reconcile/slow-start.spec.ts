import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

interface Run {
  readonly rounds: number[];
  readonly error: unknown;
}

/** The item numbered `failing` is refused. */
async function written(count: number, failing = -1, mayGoOn = () => true): Promise<Run> {
  const rounds: number[] = [];
  let pending: (() => void)[] = [];
  const write = async (item: number) => {
    await new Promise<void>((answer) => pending.push(answer));
    if (item === failing) throw new Error(`refused ${item}`);
  };
  let isOver = false;
  const run = slowStart([...Array(count).keys()], mayGoOn, write)
    .catch((thrown: unknown) => thrown)
    .finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (pending.length > 0) rounds.push(pending.length);
    const answered = pending;
    pending = [];
    for (const answer of answered) answer();
  }
  return { rounds, error: await run };
}

describe('slowStart', () => {
  it('doubles the concurrent writes with each round trip, up to its limit', async () => {
    expect((await written(60)).rounds).toEqual([2, 4, 8, 16, 16, 14]);
  });

  it('does not wait for a slow write before the next ones', async () => {
    let answerFirst = () => {};
    const started: number[] = [];
    const run = slowStart(
      [...Array(40).keys()],
      () => true,
      async (item) => {
        started.push(item);
        if (item === 1) await new Promise<void>((answer) => (answerFirst = answer));
      },
    );
    while (started.length < 40) await new Promise((resolve) => setImmediate(resolve));
    answerFirst();
    await run;
  });

  it('writes nothing without items', async () => {
    expect(await written(0)).toEqual({ rounds: [], error: undefined });
  });

  it('calls mayGoOn before each write', async () => {
    const answers = [true, true, true, true, false];
    expect(await written(100, -1, () => answers.shift() ?? true)).toEqual({ rounds: [2, 2], error: undefined });
  });

  it('rethrows an error of mayGoOn after the started writes have ended', async () => {
    const stopping = new Error('stopping');
    const answers = [true, true];
    const mayGoOn = () => {
      if (answers.shift() === undefined) throw stopping;
      return true;
    };
    expect(await written(5, -1, mayGoOn)).toEqual({ rounds: [2], error: stopping });
  });

  it('starts no write after a failure, and throws its error when the started ones have ended', async () => {
    expect(await written(100, 3)).toEqual({ rounds: [2, 4], error: new Error('refused 3') });
  });
});
