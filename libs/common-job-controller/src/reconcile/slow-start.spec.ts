import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

interface Run {
  /** How many are under way whenever the API server answers all of them. */
  readonly rounds: number[];
  readonly error: unknown;
}

/** Writes `count` items; those under way are answered together. The item numbered `failing` is refused. */
async function written(count: number, failing = -1, mayGoOn = () => true): Promise<Run> {
  const rounds: number[] = [];
  let asked: (() => void)[] = [];
  const write = async (item: number) => {
    await new Promise<void>((answer) => asked.push(answer));
    if (item === failing) throw new Error(`refused ${item}`);
  };
  let isOver = false;
  const run = slowStart([...Array(count).keys()], mayGoOn, write)
    .catch((thrown: unknown) => thrown)
    .finally(() => (isOver = true));
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    if (asked.length > 0) rounds.push(asked.length);
    const answered = asked;
    asked = [];
    for (const answer of answered) answer();
  }
  return { rounds, error: await run };
}

describe('slowStart', () => {
  it('doubles what is under way with each answer, up to its limit', async () => {
    expect((await written(60)).rounds).toEqual([2, 4, 8, 16, 16, 14]);
  });

  it('waits for no slow write before the next ones', async () => {
    let answerFirst = () => {};
    const begun: number[] = [];
    const run = slowStart(
      [...Array(40).keys()],
      () => true,
      async (item) => {
        begun.push(item);
        if (item === 1) await new Promise<void>((answer) => (answerFirst = answer));
      },
    );
    while (begun.length < 40) await new Promise((resolve) => setImmediate(resolve));
    answerFirst();
    await run;
  });

  it('writes nothing when there is nothing', async () => {
    expect(await written(0)).toEqual({ rounds: [], error: undefined });
  });

  it('asks before each write whether it may go on', async () => {
    const answers = [true, true, true, true, false];
    expect(await written(100, -1, () => answers.shift() ?? true)).toEqual({ rounds: [2, 2], error: undefined });
  });

  it('throws what that throws, after what is under way', async () => {
    const stopping = new Error('stopping');
    const answers = [true, true];
    const mayGoOn = () => {
      if (answers.shift() === undefined) throw stopping;
      return true;
    };
    expect(await written(5, -1, mayGoOn)).toEqual({ rounds: [2], error: stopping });
  });

  it('begins nothing after a write has failed, and throws its error when the others have ended', async () => {
    expect(await written(100, 3)).toEqual({ rounds: [2, 4], error: new Error('refused 3') });
  });
});
