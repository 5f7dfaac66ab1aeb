/** A record is one line (JSON or text) with the caller's fields at the top level. Errors keep stack and cause. */
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

  /** Only Nest calls this, for start-up messages (each module, each route), which are useful for debugging only. */
  override log(message: unknown, ...rest: unknown[]): void {
    super.debug(message, ...rest);
  }

  /** Nest logs and rethrows errors of providers. `bootstrap` reports a ConfigError in one line. */
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
