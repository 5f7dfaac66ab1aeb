import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SHIFTED_CLOCK = join(import.meta.dirname, 'shifted-clock.ts');
const HOUR_MS = 3_600_000;
const LIMIT_MS = 30_000;

/** Prints its clocks for each line of input. */
const PROGRAM = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', () => console.log(JSON.stringify({
    now: Date.now(), constructed: new Date().getTime(), called: Date.parse(Date()), monotonic: performance.now(),
    given: new Date(5).getTime(), isDate: new Date() instanceof Date && new Date().constructor === Date,
  })));`;

interface Clocks {
  readonly now: number;
  readonly constructed: number;
  readonly called: number;
  readonly monotonic: number;
  readonly given: number;
  readonly isDate: boolean;
}

let folder: string;
let child: ChildProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-clock-'));
  child = spawn(process.execPath, ['--import', SHIFTED_CLOCK, '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { CAMPAIGN_CLOCK: join(folder, 'clock') },
  });
});
afterEach(async () => {
  child.stdin?.end();
  await once(child, 'close');
  await rm(folder, { recursive: true });
});

/** The program's clocks when its wall clock differs from this one by about `byMs`. */
async function clocksAt(byMs: number): Promise<Clocks> {
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    child.stdin?.write('\n');
    const [line] = (await once(lines, 'line')) as [string];
    const clocks = JSON.parse(line) as Clocks;
    if (Math.abs(clocks.now - Date.now() - byMs) < LIMIT_MS) return clocks;
    if (performance.now() > limitMs) throw new Error(`the clock is not shifted by ${byMs} ms: ${line}`);
  }
}

describe('the shifted clock', () => {
  it('moves every way to read the wall clock while the program runs, and leaves durations alone', async () => {
    const before = await clocksAt(0);
    await writeFile(join(folder, 'clock'), String(HOUR_MS));
    const shifted = await clocksAt(HOUR_MS);
    await writeFile(join(folder, 'clock'), String(-HOUR_MS));
    const back = await clocksAt(-HOUR_MS);
    for (const { now, constructed, called, given, isDate } of [before, shifted, back]) {
      expect(Math.abs(constructed - now)).toBeLessThan(1000);
      expect(Math.abs(called - now)).toBeLessThan(2000);
      expect({ given, isDate }).toEqual({ given: 5, isDate: true });
    }
    expect(back.monotonic).toBeGreaterThan(shifted.monotonic);
    expect(back.monotonic - before.monotonic).toBeLessThan(2 * LIMIT_MS);
  });
});
