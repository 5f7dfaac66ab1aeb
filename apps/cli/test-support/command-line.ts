/** Runs the command as a user does: as a separate process, outside of the workspace's folder. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const MUSTER = fileURLToPath(new URL('../bin/muster.js', import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Its exit code, also if its output has no reader. */
  readonly closed: Promise<number | null>;
  /** Resolves when its output on either stream contains the text; rejects if it ends without. */
  printed(expected: string): Promise<void>;
}

/** Starts it. @param input on its standard input */
export function muster(args: readonly string[], input = ''): Running {
  const child = spawn(process.execPath, [MUSTER, ...args], { cwd: tmpdir(), stdio: 'pipe' });
  child.stdin.end(input);
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  const closed = once(child, 'close').then(([code]) => code as number | null);
  const ended = Promise.all([text(child.stdout), text(child.stderr), closed]).then(([out, err, code]) => ({
    ...{ out, err, code },
  }));
  // A test that closes a stream reads `closed` instead.
  ended.catch(() => {});
  return {
    child,
    ended,
    closed,
    async printed(expected) {
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!printed.includes(expected)) {
        if (isOver) throw new Error(`ended without printing "${expected}":\n${printed}`);
        await Promise.race([ended, once(child.stdout, 'data'), once(child.stderr, 'data')]);
      }
    },
  };
}
