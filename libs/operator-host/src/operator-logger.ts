/**
 * The process's one logger: what every layer knows as `Logger`, and what Nest takes as its own.
 *
 * Guarantees: a record is one line (JSON unless asked for text) with `time`, `level`, `message` and the caller's fields
 * at the top level; errors among the fields keep their stack and cause. Levels below the configured one cost nothing.
 */
import type { Logger } from '@muster/kube';
import type { LogLevel } from '@nestjs/common';
import { ConsoleLogger } from '@nestjs/common';
import { ConfigError } from './flags.ts';

type Fields = Record<string, unknown>;
type JsonRecord = ReturnType<ConsoleLogger['getJsonLogObject']>;
type RecordOptions = Parameters<ConsoleLogger['getJsonLogObject']>[1];

const LEVELS = {
  debug: ['debug', 'log', 'warn', 'error', 'fatal'],
  info: ['log', 'warn', 'error', 'fatal'],
  warn: ['warn', 'error', 'fatal'],
  error: ['error', 'fatal'],
} as const satisfies Record<string, readonly LogLevel[]>;

export class OperatorLogger extends ConsoleLogger implements Logger {
  constructor(options: { level: keyof typeof LEVELS; format: 'json' | 'text' }) {
    super({
      json: options.format === 'json',
      flattenParams: true,
      logLevels: [...LEVELS[options.level]],
      prefix: 'muster',
      colors: options.format === 'text' && Boolean(process.stdout.isTTY),
    });
  }

  info(message: string, ...fields: [Fields?]): void {
    super.log(message, ...fields);
  }

  /** Only Nest calls this, for its start-up chatter (each module, each route): of use to nobody but who debugs it. */
  override log(message: unknown, ...rest: unknown[]): void {
    super.debug(message, ...rest);
  }

  /**
   * Nest logs what a provider throws, and throws it on. A mistake of the person who started the process is left to
   * `bootstrap`, which says it in one line.
   */
  override error(message: unknown, ...rest: unknown[]): void {
    if (!(message instanceof ConfigError)) super.error(message, ...rest);
  }

  protected override getJsonLogObject(message: unknown, options: RecordOptions): JsonRecord {
    const { level, timestamp, message: line, ...fields } = super.getJsonLogObject(message, options);
    const record: Fields = {
      time: new Date(timestamp).toISOString(),
      level: level === 'log' ? 'info' : level,
      message: line,
    };
    for (const [name, value] of Object.entries(fields)) {
      if (name === 'pid') continue;
      record[name] = value instanceof Error ? this.serializeError(value) : value;
    }
    return record as JsonRecord;
  }
}
