/**
 * An operator as a child process, started the way users try it out: `muster operator <framework>`. It ends with the
 * process that has started it, whatever ends that.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError, lastLines } from '@muster/cluster';

const WORKSPACE = join(import.meta.dirname, '../../..');
const CLI = join(WORKSPACE, 'apps/cli/bin');
/** The one that the command would choose itself: started by an older one it is a child of that, which signals do not reach. */
const NODE =
  Number.parseInt(process.versions.node, 10) >= 24 ? process.execPath : join(WORKSPACE, 'node_modules/.bin/node');
const READY_LIMIT_MS = 120_000;
/** More than it takes to drain; less than a person waits. */
const STOP_LIMIT_MS = 10_000;

export interface OperatorSettings {
  readonly framework: string;
  readonly kubeconfig: string;
  /** The only ones it looks after; its Lease is in the first. */
  readonly namespaces: readonly string[];
  readonly flags: readonly string[];
  /** Where its log goes, as `<framework>-operator.log`. */
  readonly logFolder: string;
}

export class OperatorProcess {
  readonly framework: string;
  readonly log: string;
  readonly #child: ChildProcess;

  constructor({ framework, kubeconfig, namespaces, flags, logFolder }: OperatorSettings) {
    this.framework = framework;
    mkdirSync(logFolder, { recursive: true });
    this.log = join(logFolder, `${framework}-operator.log`);
    const output = openSync(this.log, 'w');
    const [lease = 'default'] = namespaces;
    const scope = ['--port', '0', '--namespace', namespaces.join(','), '--leader-election-namespace', lease];
    this.#child = spawn(
      NODE,
      ['--import', join(CLI, 'end-with-parent.js'), join(CLI, 'muster.js'), 'operator', framework, ...scope, ...flags],
      { stdio: ['ignore', output, output], env: { ...process.env, KUBECONFIG: kubeconfig } },
    );
    closeSync(output);
  }

  /** Resolves when it answers that it is ready; throws a `ClusterError` with its last lines if it ends or is not in time. */
  async ready(signal: AbortSignal): Promise<void> {
    const endMs = performance.now() + READY_LIMIT_MS;
    while (!(await this.#answersReady())) {
      signal.throwIfAborted();
      this.check();
      if (performance.now() > endMs) throw new ClusterError(this.#complaint('is not ready'));
      await sleep(100);
    }
  }

  /** Throws a `ClusterError` if it has ended. */
  check(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) {
      throw new ClusterError(this.#complaint(`has ended with ${signalCode ?? `exit status ${exitCode}`}`));
    }
  }

  /** For a test of what befalls it. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Lets it drain and give up its Lease; kills it if that takes too long. Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(kill);
  }

  /** Where its probes and metrics are; undefined until it listens. */
  get url(): URL | undefined {
    const port = /"port":(\d+)/.exec(readFileSync(this.log, 'utf8'))?.[1];
    return port === undefined ? undefined : new URL(`http://127.0.0.1:${port}`);
  }

  async #answersReady(): Promise<boolean> {
    const { url } = this;
    if (url === undefined) return false;
    try {
      const response = await fetch(new URL('/readyz', url));
      await response.arrayBuffer();
      return response.ok;
    } catch {
      // It has ended since it wrote the line; `check` tells.
      return false;
    }
  }

  #complaint(what: string): string {
    const tail = lastLines(readFileSync(this.log, 'utf8'), 5);
    return `The operator ${this.framework} ${what}; its log ${this.log} ends with:\n${tail}`;
  }
}
