/** The shipped operator as a process that is restarted whenever it ends, like a container but without back-off. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { passRecordEnv } from '@muster/testing';

export class KeptOperator implements AsyncDisposable {
  starts = 0;
  lastEnd: number | NodeJS.Signals | undefined;
  output = '';
  readonly #args: readonly string[];
  #process: ChildProcess | undefined;
  #kept = true;
  #keeping: Promise<void>;

  constructor(file: string, kubeconfig: string, namespace: string, flags: readonly string[]) {
    const where = ['--kubeconfig', kubeconfig, '--namespace', namespace, '--leader-election-namespace', namespace];
    this.#args = [file, '--port', '0', '--host', '127.0.0.1', ...where, ...flags];
    this.#keeping = this.#keep();
  }

  /** Like the kernel's OOM killer. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Not restarted, as when its pod is deleted or its node is lost. */
  async end(signal: NodeJS.Signals): Promise<void> {
    this.#kept = false;
    this.#process?.kill(signal);
    await this.#keeping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.end('SIGKILL');
  }

  async #keep(): Promise<void> {
    while (this.#kept) {
      this.starts++;
      const child = spawn(process.execPath, this.#args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], ...passRecordEnv() },
      });
      this.#process = child;
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
      }
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      this.lastEnd = code ?? signal ?? undefined;
      this.#process = undefined;
    }
  }
}
