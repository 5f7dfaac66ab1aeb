/**
 * Writes reconcile runs to files for `muster replay`, and deletes the oldest. A run is encoded at once, because the
 * cached objects change later, and written in the background.
 *
 * Guarantees: `record` neither throws nor waits. Encoding takes at most a tenth of a processor, by its CPU time, since on a busy
 * machine the clock also counts the time of others; further runs are
 * left out, and the next line has their number. Pending data is limited. The first file system error is logged and ends the
 * recording.
 */
import { appendFile, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@muster/controller';
import type { Logger } from '@muster/kube';
import type { PlannedRun } from '@muster/common-job-controller';
import type { KubeObject, Resource } from '@muster/job-api';
import { counter, RECORDING } from '@muster/metrics';
import type { Registry } from 'prom-client';
import { HiddenValues } from './hidden-values.ts';
import { hiddenRun } from './hidden-run.ts';
import { deletionLine, lineOf } from './run-record.ts';

export interface RecordSettings {
  readonly folder: string;
  /** Limit of the size of all files. Default: 128 MiB. */
  readonly bytes?: number;
  /** Whether values of environment variables are recorded. Default: no. */
  readonly withEnvironment?: boolean;
}

interface RecorderOptions {
  readonly settings: RecordSettings;
  /** Several operators may write to one folder. */
  readonly name: string;
  /** The process, such as the name of its pod: replicas of an operator may write to one folder. */
  readonly instance: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  /** CPU time that the thread has used, in milliseconds. Default: measured. */
  readonly cpuMs?: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly registry: Registry;
}

const MIB = 1024 * 1024;
const BYTES = 128 * MIB;

/** A file has this part of the limit, and is deleted as a whole. */
const FILES = 8;

/** Also of short files, as a process that is restarted again and again leaves them. */
const MOST_FILES = 1000;

const PENDING_BYTES = 16 * MIB;

/** Per process, so that file names are unique. */
let filesStarted = 0;

const SHARE = 0.1;
const BURST_MS = 1000;

export class RunRecorder {
  readonly #options: RecorderOptions;
  readonly #prefix: string;
  #file: string | undefined;
  #fileSize = 0;
  #pending: string[] = [];
  #pendingBytes = 0;
  #writing: Promise<void> | undefined;
  #hasEnded = false;
  #leftOut = 0;
  readonly #runs;
  readonly #hidden: HiddenValues | undefined;
  readonly #cpuMs: () => number;
  #budgetMs = BURST_MS;
  #budgetedMs: number;
  #reported = new Set<string>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#prefix = `runs-${options.name}-`;
    this.#hidden = options.settings.withEnvironment === true ? undefined : new HiddenValues();
    this.#budgetedMs = options.clock.monotonic();
    this.#cpuMs = options.cpuMs ?? threadCpuMs;
    this.#runs = counter(options.registry, RECORDING.runs);
  }

  /** Cached objects are never changed, so the World is still as it was planned. */
  record(run: PlannedRun): void {
    const { kind } = run.adapter.resource;
    this.#encode(`a reconcile run of a ${kind}`, () => {
      const recorded = this.#hidden === undefined ? run : hiddenRun(this.#hidden, run);
      if (recorded === undefined) throw new Error('its plan depends on values of environment variables');
      return lineOf(recorded, this.#leftOut);
    });
  }

  recordDeletion(resource: Resource, job: KubeObject): void {
    this.#encode(`the deletion of a ${resource.kind}`, () => deletionLine(resource, job, this.#options.clock.now()));
  }

  #encode(what: string, line: () => string): void {
    if (this.#hasEnded) {
      this.#runs.inc({ result: 'failed' });
      return;
    }
    const hasTime = this.#hasTime();
    const startedMs = this.#cpuMs();
    let isRecorded = false;
    try {
      isRecorded = hasTime && this.#write(`${line()}\n`);
    } catch (error) {
      this.#reportOnce(`${what} cannot be recorded`, { error: String(error) });
    }
    this.#leftOut = isRecorded ? 0 : this.#leftOut + 1;
    this.#runs.inc({ result: isRecorded ? 'recorded' : 'left_out' });
    if (hasTime) this.#budgetMs -= this.#cpuMs() - startedMs;
  }

  async close(): Promise<void> {
    await this.#writing;
    this.#hasEnded = true;
  }

  #hasTime(): boolean {
    const nowMs = this.#options.clock.monotonic();
    this.#budgetMs = Math.min(BURST_MS, this.#budgetMs + (nowMs - this.#budgetedMs) * SHARE);
    this.#budgetedMs = nowMs;
    if (this.#budgetMs > 0) return true;
    this.#reportOnce('some reconcile runs are not recorded: recording takes too much time');
    return false;
  }

  /** Whether the line is written. */
  #write(line: string): boolean {
    const bytes = Buffer.byteLength(line);
    if (this.#pendingBytes + bytes > PENDING_BYTES) {
      this.#reportOnce('some reconcile runs are not recorded: they are faster than the writes');
      return false;
    }
    this.#pending.push(line);
    this.#pendingBytes += bytes;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
    return true;
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#pending.length > 0) {
        const lines = this.#pending;
        this.#pending = [];
        this.#pendingBytes = 0;
        for (const line of lines) await this.#append(line);
      }
    } catch (error) {
      this.#hasEnded = true;
      this.#pending = [];
      const { folder } = this.#options.settings;
      this.#options.logger.warn('reconcile runs are no longer recorded: a file cannot be written', {
        folder,
        error: String(error),
      });
    }
  }

  async #append(line: string): Promise<void> {
    const { bytes: limit = BYTES } = this.#options.settings;
    const bytes = Buffer.byteLength(line);
    if (this.#file === undefined || (this.#fileSize > 0 && this.#fileSize + bytes > limit / FILES)) {
      this.#file = await this.#nextFile(limit - Math.max(bytes, limit / FILES));
      this.#fileSize = 0;
    }
    // It contains whole manifests, so only the operator's user may read it.
    await appendFile(this.#file, line, { mode: 0o600 });
    this.#fileSize += bytes;
  }

  /** Names sort by time, also across restarts and processes. The limit holds for the files of all of them. */
  async #nextFile(mostBytes: number): Promise<string> {
    const { settings, clock } = this.#options;
    const { folder } = settings;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(folder)).filter((file) => file.startsWith(this.#prefix)).sort();
    const sizes = await Promise.all(names.map((name) => sizeOf(join(folder, name))));
    let total = sizes.reduce((sum, size) => sum + size, 0);
    for (const [at, old] of names.entries()) {
      if (total <= mostBytes && names.length - at < MOST_FILES) break;
      await rm(join(folder, old), { force: true });
      total -= sizes[at] ?? 0;
    }
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '');
    const number = String(++filesStarted).padStart(4, '0');
    return join(folder, `${this.#prefix}${time}-${this.#options.instance}-${process.pid}-${number}.jsonl`);
  }

  #reportOnce(message: string, fields?: Record<string, unknown>): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.logger.info(message, fields);
  }
}

/** 0 if another process has deleted it. */
async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
