/**
 * Writes reconcile runs to files for `muster replay`, and deletes the oldest. A run is encoded at once, because the
 * cached objects change later, and written in the background.
 *
 * Guarantees: `record` neither throws nor waits. Encoding takes at most a tenth of the process's time; further runs are
 * left out. Pending data is limited. The first file system error is logged and ends the recording.
 */
import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@muster/controller';
import type { Logger } from '@muster/kube';
import { lineOf } from './run-record.ts';
import type { PlannedRun } from '@muster/common-job-controller';

export interface RecordSettings {
  readonly folder: string;
  /** Size in bytes of a file. Default: 16 MiB. */
  readonly fileBytes?: number;
  /** Number of files kept. Default: 8. */
  readonly files?: number;
}

interface RecorderOptions {
  readonly settings: RecordSettings;
  /** Several operators may write to one folder. */
  readonly name: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const MIB = 1024 * 1024;
const FILE_BYTES = 16 * MIB;
const FILES = 8;
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
  #budgetMs = BURST_MS;
  #budgetedMs: number;
  #reported = new Set<string>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#prefix = `runs-${options.name}-`;
    this.#budgetedMs = options.clock.monotonic();
  }

  /** Cached objects are never changed, so the World is still as it was planned. */
  record(run: PlannedRun): void {
    if (this.#hasEnded || !this.#hasTime()) return;
    const { clock } = this.#options;
    const startedMs = clock.monotonic();
    try {
      this.#write(`${lineOf(run)}\n`);
    } catch (error) {
      const kind = run.adapter.resource.kind;
      this.#reportOnce(`a reconcile run of a ${kind} cannot be recorded`, { error: String(error) });
    }
    this.#budgetMs -= clock.monotonic() - startedMs;
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

  #write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#pendingBytes + bytes > PENDING_BYTES) {
      this.#reportOnce('some reconcile runs are not recorded: they are faster than the writes');
      return;
    }
    this.#pending.push(line);
    this.#pendingBytes += bytes;
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
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
    const { fileBytes = FILE_BYTES } = this.#options.settings;
    const bytes = Buffer.byteLength(line);
    if (this.#file === undefined || (this.#fileSize > 0 && this.#fileSize + bytes > fileBytes)) {
      this.#file = await this.#nextFile();
      this.#fileSize = 0;
    }
    // It contains whole manifests, so only the operator's user may read it.
    await appendFile(this.#file, line, { mode: 0o600 });
    this.#fileSize += bytes;
  }

  /** Names sort by time, also across restarts. */
  async #nextFile(): Promise<string> {
    const { settings, clock } = this.#options;
    const { folder, files = FILES } = settings;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const all = (await readdir(folder)).filter((file) => file.startsWith(this.#prefix)).sort();
    for (const old of all.slice(0, Math.max(0, all.length - files + 1))) await rm(join(folder, old), { force: true });
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '');
    const number = String(++filesStarted).padStart(4, '0');
    return join(folder, `${this.#prefix}${time}-${process.pid}-${number}.jsonl`);
  }

  #reportOnce(message: string, fields?: Record<string, unknown>): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.logger.info(message, fields);
  }
}
