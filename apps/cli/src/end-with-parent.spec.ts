/** Below npm, `muster` has npm's process and a shell as parents, and neither of them forwards signals. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

const WORKSPACE = fileURLToPath(new URL('../../..', import.meta.url));
const MUSTER = fileURLToPath(new URL('../bin/muster.js', import.meta.url));
const OPERATOR = ['operator', 'tensorflow', '--port', '0'];
const LIMIT_MS = 120_000;

let folder: string;
const started: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-npx-'));
  // The API server does not answer: the operator runs, and logs that it is not ready.
  const kubeconfig = {
    clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    users: [{ name: 'u', user: { token: 't' } }],
    'current-context': 'c',
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
});

afterEach(() => {
  // A separate process group, which also contains orphaned processes.
  for (const { pid } of started.splice(0)) {
    try {
      process.kill(-(pid ?? NaN), 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

/** A process and its descendants, with their output. */
class Started {
  readonly child: ChildProcess;
  readonly lines: string[] = [];
  /** Whether the last process with access to the output has ended. */
  allEnded = false;

  constructor(command: string, args: string[]) {
    // Without the environment of an npm that runs these tests.
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('npm_')));
    this.child = spawn(command, args, {
      cwd: WORKSPACE,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, KUBECONFIG: join(folder, 'kubeconfig') },
    });
    started.push(this.child);
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      createInterface({ input: stream }).on('line', (line) => this.lines.push(line));
    }
    void once(this.child, 'close').then(() => (this.allEnded = true));
  }

  prints(word: string): Promise<void> {
    return this.#becomes(() => this.lines.some((line) => line.includes(word)), `to say "${word}"`);
  }

  ends(): Promise<void> {
    return this.#becomes(() => this.allEnded, 'to have ended, with all that it started');
  }

  #becomes(condition: () => boolean, what: string): Promise<void> {
    const check = () => expect(condition(), `waited for it ${what}; it wrote:\n${this.lines.join('\n')}`).toBe(true);
    return vi.waitFor(check, { timeout: LIMIT_MS / 4, interval: 50 });
  }
}

describe('an operator started by another process', { timeout: LIMIT_MS }, () => {
  it('stops cleanly when the npx that started it ends', async () => {
    const npx = new Started('npx', ['muster', ...OPERATOR]);
    await npx.prints('"listening"');
    npx.child.kill('SIGTERM');
    await npx.ends();
    expect(npx.lines.join('\n')).toContain('"shutting down"');
  });

  it('continues after the shell that started it has ended', async () => {
    const shell = new Started('sh', ['-c', `"${process.execPath}" "${MUSTER}" ${OPERATOR.join(' ')} & echo "pid $!"`]);
    await once(shell.child, 'exit');
    await shell.prints('"listening"');
    // This log line comes seconds after the process would have ended.
    await shell.prints('ECONNREFUSED');
    expect(shell.lines.join('\n')).not.toContain('"shutting down"');
    const pid = Number(/^pid (\d+)$/m.exec(shell.lines.join('\n'))?.[1]);
    process.kill(pid, 'SIGTERM');
    await shell.ends();
  });
});
