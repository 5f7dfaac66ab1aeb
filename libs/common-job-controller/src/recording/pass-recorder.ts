/**
 * Writes passes into files in a folder, for `muster replay`. The files are bounded in size and number: the oldest go. A pass is encoded at
 * once, because a later one sees other objects, and written beside the passes.
 *
 * Guarantees: `record` neither throws nor waits. Encoding takes a tenth of the process's time at most; passes beyond that are left out. What is
 * not written yet is bounded as well. The first error of the file system is logged, and ends the recording.
 */
import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@muster/controller';
import type { Logger } from '@muster/kube';
import { lineOf } from './pass-record.ts';
import type { PlannedPass } from '../reconcile/plan.ts';

export interface RecordSettings {
  /** Made where it is not there. */
  readonly folder: string;
  /** After how many bytes another file is begun. Default: 16 MiB. */
  readonly fileBytes?: number;
  /** How many files of this operator are kept. Default: 8. */
  readonly files?: number;
}

interface RecorderOptions {
  readonly settings: RecordSettings;
  /** Of the operator: several may write into one folder. */
  readonly name: string;
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

const MIB = 1024 * 1024;
const FILE_BYTES = 16 * MIB;
const FILES = 8;
/** What waits to be written. */
const PENDING_BYTES = 16 * MIB;

/** Of this process: no two write to one file. */
let filesBegun = 0;

/** The share of its time that the process spends on encoding, and how much of that may be spent at once. */
const SHARE = 0.1;
const BURST_MS = 1000;

export class PassRecorder {
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
    this.#prefix = `passes-${options.name}-`;
    this.#budgetedMs = options.clock.monotonic();
  }

  /** Cached objects are never changed, so the World is as it was when the plan was made. */
  record(pass: PlannedPass): void {
    if (this.#hasEnded || !this.#hasTime()) return;
    const { clock } = this.#options;
    const begunMs = clock.monotonic();
    try {
      this.#write(`${lineOf(pass)}\n`);
    } catch (error) {
      const kind = pass.adapter.resource.kind;
      this.#reportOnce(`a pass over a ${kind} cannot be recorded`, { error: String(error) });
    }
    this.#budgetMs -= clock.monotonic() - begunMs;
  }

  /** Resolves when all that was recorded is written. Nothing is recorded any more. */
  async close(): Promise<void> {
    await this.#writing;
    this.#hasEnded = true;
  }

  #hasTime(): boolean {
    const nowMs = this.#options.clock.monotonic();
    this.#budgetMs = Math.min(BURST_MS, this.#budgetMs + (nowMs - this.#budgetedMs) * SHARE);
    this.#budgetedMs = nowMs;
    if (this.#budgetMs > 0) return true;
    this.#reportOnce('passes are left out of the record, because recording takes too much time');
    return false;
  }

  #write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#pendingBytes + bytes > PENDING_BYTES) {
      this.#reportOnce('passes are left out of the record, because they come faster than they are written');
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
      this.#options.logger.warn('passes are no longer recorded: a file cannot be written', {
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
    // A record has all that a manifest says: it is for the operator's own user.
    await appendFile(this.#file, line, { mode: 0o600 });
    this.#fileSize += bytes;
  }

  /** Names in the order of their time, also over restarts. */
  async #nextFile(): Promise<string> {
    const { settings, clock } = this.#options;
    const { folder, files = FILES } = settings;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const all = (await readdir(folder)).filter((file) => file.startsWith(this.#prefix)).sort();
    for (const old of all.slice(0, Math.max(0, all.length - files + 1))) await rm(join(folder, old), { force: true });
    const time = new Date(clock.now()).toISOString().replaceAll(/[:.]/g, '');
    const number = String(++filesBegun).padStart(4, '0');
    return join(folder, `${this.#prefix}${time}-${process.pid}-${number}.jsonl`);
  }

  #reportOnce(message: string, fields?: Record<string, unknown>): void {
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    this.#options.logger.info(message, fields);
  }
}
