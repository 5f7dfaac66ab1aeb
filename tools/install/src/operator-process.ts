/**
 * An operator as a child process, started as users try it out: `muster operator <framework>`. It ends together with the process that
 * started it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError, lastLines } from '@muster/cluster';

const WORKSPACE = join(import.meta.dirname, '../../..');
const CLI = join(WORKSPACE, 'apps/cli/bin');
/** The Node.js that the command would choose itself: an older Node starts it as a child, which signals do not reach. */
const NODE =
  Number.parseInt(process.versions.node, 10) >= 24 ? process.execPath : join(WORKSPACE, 'node_modules/.bin/node');
const READY_LIMIT_MS = 120_000;
/** Longer than a drain takes. */
const STOP_LIMIT_MS = 10_000;

export interface OperatorSettings {
  readonly framework: string;
  readonly kubeconfig: string;
  /** The operator's namespaces; its Lease is in the first. */
  readonly namespaces: readonly string[];
  readonly flags: readonly string[];
  /** The folder of its log, `<framework>-operator.log`. */
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

  /** Resolves when the operator is ready. Throws a `ClusterError` with the last lines of its log if it ends or is not ready in time. */
  async ready(signal: AbortSignal): Promise<void> {
    const endMs = performance.now() + READY_LIMIT_MS;
    while (!(await this.#isReady())) {
      signal.throwIfAborted();
      this.check();
      if (performance.now() > endMs) throw new ClusterError(this.#failure('is not ready'));
      await sleep(100);
    }
  }

  /** Throws a `ClusterError` if it has ended. */
  check(): void {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) {
      throw new ClusterError(this.#failure(`has ended with ${signalCode ?? `exit status ${exitCode}`}`));
    }
  }

  /** For tests of faults. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Lets it drain and release its Lease; kills it if that takes too long. Safe to repeat. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended;
    clearTimeout(kill);
  }

  /** The URL of its probes and metrics; undefined until it listens. */
  get url(): URL | undefined {
    const port = /"port":(\d+)/.exec(readFileSync(this.log, 'utf8'))?.[1];
    return port === undefined ? undefined : new URL(`http://127.0.0.1:${port}`);
  }

  async #isReady(): Promise<boolean> {
    const { url } = this;
    if (url === undefined) return false;
    try {
      const response = await fetch(new URL('/readyz', url));
      await response.arrayBuffer();
      return response.ok;
    } catch {
      // It has ended since it wrote the line; `check` reports that.
      return false;
    }
  }

  #failure(what: string): string {
    const tail = lastLines(readFileSync(this.log, 'utf8'), 5);
    return `The operator ${this.framework} ${what}. Last lines of its log ${this.log}:\n${tail}`;
  }
}
