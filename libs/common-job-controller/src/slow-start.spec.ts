import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

/** The sizes of the batches in which `count` items are written; the item numbered `failing` is refused. */
async function batches(
  count: number,
  failing = -1,
  signal = new AbortController().signal,
): Promise<{ sizes: number[]; error: unknown }> {
  const sizes: number[] = [];
  let inFlight = 0;
  const write = async (item: number) => {
    if (inFlight === 0) sizes.push(0);
    inFlight++;
    sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
    await Promise.resolve();
    inFlight--;
    if (item === failing) throw new Error(`refused ${item}`);
  };
  const error = await slowStart([...Array(count).keys()], signal, write).catch((thrown: unknown) => thrown);
  return { sizes, error };
}

describe('slowStart', () => {
  it('doubles the batch up to its limit', async () => {
    expect((await batches(200)).sizes).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 9]);
  });

  it('writes nothing when there is nothing', async () => {
    expect(await batches(0)).toEqual({ sizes: [], error: undefined });
  });

  it('begins nothing once it is aborted', async () => {
    const { sizes, error } = await batches(3, -1, AbortSignal.abort(new Error('stopping')));
    expect([sizes, error]).toEqual([[], new Error('stopping')]);
  });

  it('stops after the batch in which a write failed, and throws its error', async () => {
    expect(await batches(100, 1)).toEqual({ sizes: [1, 2], error: new Error('refused 1') });
  });
});
