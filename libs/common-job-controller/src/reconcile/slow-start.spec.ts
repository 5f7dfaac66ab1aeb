import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

/** The sizes of the batches in which `count` items are written; the item numbered `failing` is refused. */
async function batches(
  count: number,
  failing = -1,
  mayGoOn = () => true,
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
  const error = await slowStart([...Array(count).keys()], mayGoOn, write).catch((thrown: unknown) => thrown);
  return { sizes, error };
}

describe('slowStart', () => {
  it('doubles the batch up to its limit', async () => {
    expect((await batches(200)).sizes).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 9]);
  });

  it('writes nothing when there is nothing', async () => {
    expect(await batches(0)).toEqual({ sizes: [], error: undefined });
  });

  it('asks before each batch whether it may go on', async () => {
    const answers = [true, true, true, false];
    expect(await batches(100, -1, () => answers.shift() ?? true)).toEqual({ sizes: [1, 2, 4], error: undefined });
  });

  it('begins nothing when that throws, and throws it', async () => {
    const stopping = new Error('stopping');
    const mayGoOn = () => {
      throw stopping;
    };
    expect(await batches(3, -1, mayGoOn)).toEqual({ sizes: [], error: stopping });
  });

  it('stops after the batch in which a write failed, and throws its error', async () => {
    expect(await batches(100, 1)).toEqual({ sizes: [1, 2], error: new Error('refused 1') });
  });
});
