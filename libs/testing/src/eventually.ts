/** Waits for a condition instead of for a time. A failure shows the last observed state. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface EventuallyOptions {
  /** Default 120 s: enough for a busy machine. */
  withinMs?: number;
  /** The expected or current state; called and awaited upon a failure. */
  describe?: string | (() => unknown);
}

const POLL_MS = 25;

/** Returns the first truthy value of `condition`. An error (a failed expectation, `NotFound`) means "not yet". */
export async function eventually<V>(
  condition: () => V | Promise<V>,
  options: EventuallyOptions = {},
): Promise<Exclude<Awaited<V>, false | null | undefined>> {
  const { withinMs = 120_000, describe } = options;
  const endMs = performance.now() + withinMs;
  for (;;) {
    const last = await attempt(condition);
    if ('value' in last && last.value) return last.value as Exclude<Awaited<V>, false | null | undefined>;
    if (performance.now() >= endMs) throw await failure(last, withinMs, describe);
    await sleep(POLL_MS);
  }
}

type Attempt<V> = { value: V } | { error: unknown };

async function attempt<V>(condition: () => V): Promise<Attempt<Awaited<V>>> {
  try {
    return { value: await condition() };
  } catch (error) {
    return { error };
  }
}

async function failure(
  last: Attempt<unknown>,
  withinMs: number,
  describe: EventuallyOptions['describe'],
): Promise<Error> {
  const seen =
    'error' in last ? `the last error was: ${messageOf(last.error)}` : `the last value was ${show(last.value)}`;
  const expected =
    describe === undefined ? 'the condition' : typeof describe === 'string' ? describe : await described(describe);
  return new Error(
    `Not within ${withinMs} ms: ${expected}; ${seen}`,
    'error' in last ? { cause: last.error } : undefined,
  );
}

/** A failing description, for example without a server, must not hide the failure itself. */
async function described(describe: () => unknown): Promise<string> {
  try {
    return show(await describe());
  } catch (error) {
    return `it cannot be described (${messageOf(error)})`;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? String(value));
}
