/** One replica of an operator as a process that ships, which is started again whenever it ends, behind its own proxy. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NODE_FLAGS } from '@muster/bundle';
import { type FaultProxy, faultProxy, type OtherServer } from '@muster/fault-injection';
import { loadCluster } from '@muster/kube';
import type { Exit, SentWrite } from '../history/history.ts';
import type { OperatorVersion } from '../versions/operator-version.ts';

/** Short, so that leaders change within a run. */
const ELECTION = ['lease-duration=6s', 'renew-deadline=4s', 'retry-period=1s'].map(
  (flag) => `--leader-election-${flag}`,
);
const AFTER_AN_EXIT_MS = 500;
const READY_LIMIT_MS = 60_000;
const READY_ANSWER_MS = 5_000;
const READY_POLL_MS = 250;
const SHIFTED_CLOCK = join(import.meta.dirname, '../faults/shifted-clock.ts');

/** They end with this process, also if it is interrupted. */
const CHILDREN = new Set<ChildProcess>();
process.once('exit', () => CHILDREN.forEach((child) => child.kill('SIGKILL')));

export interface ReplicaSettings {
  readonly framework: string;
  /** `a` or `b`. */
  readonly place: string;
  /** At the first start. */
  readonly version: OperatorVersion;
  /** With the rights of the operator's chart. */
  readonly kubeconfig: string;
  readonly leaseNamespace: string;
  /** Beside those that faults change. */
  readonly flags: readonly string[];
  /** Answers the requests that the API server would pass on to pods. */
  readonly inPods: OtherServer;
  /** Of its log and recorded reconcile runs. */
  readonly folder: string;
  /** Whether `shiftClock` has an effect, which needs code that does not ship in the process. */
  readonly hasOwnClock: boolean;
  /** Whether Node's inspector listens, for {@link OperatorReplica.process}. */
  readonly isInspected?: boolean;
}

/** A process that runs, as it is seen from the outside. */
export interface RunningProcess {
  readonly pid: number;
  /** Of probes and metrics, without a path. */
  readonly url: string;
  /** Of the inspector. */
  readonly inspector: string;
}

export class OperatorReplica implements AsyncDisposable {
  readonly name: string;
  readonly framework: string;
  readonly proxy: FaultProxy;
  readonly exits: Exit[] = [];
  starts = 0;
  kills = 0;
  flags: readonly string[] = [];
  /** The next start runs it. */
  version: OperatorVersion;
  /** Each start of the process, in their order. */
  readonly #startedVersions: { readonly fromMs: number; readonly label: string }[] = [];
  readonly #settings: ReplicaSettings;
  #clockShiftMs = 0;
  /** Of its probes; undefined until the process listens. */
  #port: string | undefined;
  #inspector: string | undefined;
  #child: ChildProcess | undefined;
  #isKept = true;
  /** Set while an end of the process is intended. */
  #isExpected = false;
  #keeping: Promise<void> = Promise.resolve();

  private constructor(settings: ReplicaSettings, proxy: FaultProxy) {
    this.#settings = settings;
    this.proxy = proxy;
    this.version = settings.version;
    this.framework = settings.framework;
    this.name = `${settings.framework}/${settings.place}`;
  }

  static async start(settings: ReplicaSettings): Promise<OperatorReplica> {
    const access = await loadCluster({ kubeconfig: settings.kubeconfig });
    const replica = new OperatorReplica(settings, await faultProxy(access, settings.inPods));
    replica.#keeping = replica.#keep();
    return replica;
  }

  get writes(): SentWrite[] {
    return this.proxy.writes.map(({ method, path, code, uid, version, receivedMs }) => ({
      ...{ replica: this.name, operatorVersion: this.#versionAt(receivedMs), sentMs: receivedMs, method, path, code },
      ...(uid !== undefined && { uid }),
      ...(version !== undefined && { revision: version }),
    }));
  }

  /** Undefined until it listens. */
  get process(): RunningProcess | undefined {
    const pid = this.#child?.pid;
    if (pid === undefined || this.#port === undefined || this.#inspector === undefined) return undefined;
    return { pid, url: `http://127.0.0.1:${this.#port}`, inspector: this.#inspector };
  }

  async kill(): Promise<void> {
    this.kills++;
    await this.#end('SIGKILL');
  }

  /** Lets it drain and release its Lease, and starts it again with its present flags and version. */
  async restart(): Promise<void> {
    await this.#end('SIGTERM');
  }

  /** Resolves when the process is ready, as a rolling update waits for it, or after a minute: another fault may hold it up. */
  async ready(): Promise<void> {
    const limitMs = performance.now() + READY_LIMIT_MS;
    while (this.#isKept && performance.now() < limitMs) {
      const signal = AbortSignal.timeout(READY_ANSWER_MS);
      const answer = await fetch(`http://127.0.0.1:${this.#port ?? 0}/readyz`, { signal }).catch(() => undefined);
      if (answer?.ok === true) return;
      await sleep(READY_POLL_MS);
    }
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(signal);
  }

  /** Sets the wall clock of the process, and of those that follow it, forward or back. */
  shiftClock(byMs: number): void {
    this.#clockShiftMs += byMs;
    writeFileSync(this.#clockFile, String(this.#clockShiftMs));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isKept = false;
    this.signal('SIGCONT');
    await this.#end('SIGKILL');
    await this.#keeping;
    await this.proxy.close();
  }

  get #clockFile(): string {
    return join(this.#settings.folder, `${this.framework}-${this.#settings.place}.clock`);
  }

  /** A process that ends sends no more before the next one starts. */
  #versionAt(atMs: number): string {
    return this.#startedVersions.findLast(({ fromMs }) => fromMs <= atMs)?.label ?? this.#settings.version.label;
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#isExpected = true;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async #keep(): Promise<void> {
    const { folder, leaseNamespace, place, framework, hasOwnClock, isInspected, flags: ownFlags } = this.#settings;
    const name = `${framework}-${place}`;
    mkdirSync(folder, { recursive: true });
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
    while (this.#isKept) {
      const where = ['--port', '0', '--host', '127.0.0.1', '--kubeconfig', this.proxy.kubeconfig];
      const record = ['--record', join(folder, 'runs', name), '--leader-election-namespace', leaseNamespace];
      const { file, label } = this.version;
      const preload = hasOwnClock ? ['--import', SHIFTED_CLOCK] : [];
      const inspect = isInspected === true ? ['--inspect=127.0.0.1:0'] : [];
      const args = [
        ...NODE_FLAGS,
        ...inspect,
        ...preload,
        file,
        ...where,
        ...record,
        ...ELECTION,
        ...ownFlags,
        ...this.flags,
      ];
      this.starts++;
      this.#startedVersions.push({ fromMs: performance.now(), label });
      this.#isExpected = false;
      const child = spawn(process.execPath, args, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { PATH: process.env['PATH'], CAMPAIGN_CLOCK: this.#clockFile },
      });
      this.#child = child;
      this.#port = undefined;
      this.#inspector = undefined;
      CHILDREN.add(child);
      let last = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          log.write(chunk);
          last = (last + chunk.toString()).slice(-1500);
          this.#port ??= /"message":"listening","port":(\d+)/.exec(last)?.[1];
          this.#inspector ??= /Debugger listening on (ws:\S+)/.exec(last)?.[1];
        });
      }
      const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
      CHILDREN.delete(child);
      this.#child = undefined;
      if (!this.#isExpected && this.#isKept) {
        const end = String(code ?? signal);
        const exit = { replica: this.name, operatorVersion: label, atMs: performance.now(), end, lastLines: last };
        this.exits.push(exit);
      }
      if (this.#isKept) await sleep(AFTER_AN_EXIT_MS);
    }
    log.end();
  }
}
