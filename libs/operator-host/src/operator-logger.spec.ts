import type { LoggerService } from '@nestjs/common';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConfigError } from './flags.ts';
import { OperatorLogger } from './operator-logger.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

function written(
  options: ConstructorParameters<typeof OperatorLogger>[0],
  use: (logger: OperatorLogger) => void,
): string[] {
  const lines: string[] = [];
  const write = (chunk: unknown) => {
    lines.push(String(chunk).trimEnd());
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(write);
  vi.spyOn(process.stderr, 'write').mockImplementation(write);
  use(new OperatorLogger(options));
  vi.restoreAllMocks();
  return lines;
}

const records = (level: 'debug' | 'info' | 'warn' | 'error', use: (logger: OperatorLogger) => void) =>
  written({ level, format: 'json' }, use).map((line) => JSON.parse(line) as Record<string, unknown>);

describe('OperatorLogger', () => {
  it('writes one JSON line with the fields at the top level', () => {
    const [record] = records('info', (logger) =>
      logger.info('reconciled', { namespace: 'a', name: 'job', reconcileID: 'x' }),
    );
    const { time, ...rest } = record ?? {};
    expect(rest).toEqual({ level: 'info', message: 'reconciled', namespace: 'a', name: 'job', reconcileID: 'x' });
    expect(new Date(time as string).toISOString()).toBe(time);
  });

  it('does not let a field replace the message or the level', () => {
    const [record] = records('info', (logger) => logger.info('real', { message: 'fake', level: 'fake' }));
    expect(record).toMatchObject({ message: 'real', level: 'info' });
  });

  it('writes an error among the fields with stack and cause', () => {
    const error = new Error('outer', { cause: new Error('inner') });
    const [record] = records('info', (logger) => logger.error('failed', { error }));
    expect(record).toMatchObject({
      level: 'error',
      message: 'failed',
      error: {
        name: 'Error',
        message: 'outer',
        stack: expect.stringContaining('spec.ts') as string,
        cause: { message: 'inner' },
      },
    });
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ] as const)('at level %s writes %j', (level, expected) => {
    const all = records(level, (logger) => {
      logger.debug('m');
      logger.info('m');
      logger.warn('m');
      logger.error('m');
    });
    expect(all.map((record) => record['level'])).toEqual(expected);
  });

  it("logs Nest's start-up messages at debug level", () => {
    const chatter = (logger: LoggerService): void => {
      logger.log('Mapped {/healthz, GET} route', 'RouterExplorer');
    };
    expect(records('info', chatter)).toEqual([]);
    expect(records('debug', chatter)).toMatchObject([{ level: 'debug', context: 'RouterExplorer' }]);
  });

  it('does not log a ConfigError, which its catcher reports', () => {
    const report = (error: Error) => records('info', (logger) => logger.error(error, undefined, 'ExceptionHandler'));
    expect(report(new ConfigError('no such file'))).toEqual([]);
    expect(report(new Error('a defect'))).toMatchObject([{ level: 'error', message: 'a defect' }]);
  });

  it('writes text if configured', () => {
    const [line] = written({ level: 'info', format: 'text' }, (logger) => logger.info('listening', { port: 8080 }));
    expect(line).toMatch(/listening.*port: 8080/);
  });
});
