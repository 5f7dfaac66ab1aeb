/** The command as a user runs it: a process of its own, from a directory that has nothing to do with the workspace. */
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
  /** Resolves once what it has printed so far, on either stream, has the words; rejects when it ends without. */
  said(words: string): Promise<void>;
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
    async said(words) {
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!printed.includes(words)) {
        if (isOver) throw new Error(`ended without saying "${words}":\n${printed}`);
        await Promise.race([ended, once(child.stdout, 'data'), once(child.stderr, 'data')]);
      }
    },
  };
}
