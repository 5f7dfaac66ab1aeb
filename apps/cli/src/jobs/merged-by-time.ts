/** Merges lines of several logs by time; lines of the same time in the order of the logs. */
import type { LogLine } from './pod-log.ts';

export interface NamedLog {
  readonly name: string;
  readonly lines: AsyncGenerator<LogLine>;
}

export interface NamedLine extends LogLine {
  readonly name: string;
}

/** Holds one line of each log. Rethrows what a log throws. */
export async function* mergedByTime(logs: readonly NamedLog[]): AsyncGenerator<NamedLine> {
  const heads = await Promise.all(logs.map((log) => headOf(log)));
  try {
    for (;;) {
      let first = -1;
      heads.forEach((head, index) => {
        if (head !== undefined && (first === -1 || head.atMs < (heads[first]?.atMs ?? Infinity))) first = index;
      });
      const [head, log] = [heads[first], logs[first]];
      if (head === undefined || log === undefined) return;
      yield { ...head.line, name: log.name };
      heads[first] = await headOf(log);
    }
  } finally {
    await Promise.all(logs.map(({ lines }) => lines.return(undefined)));
  }
}

async function headOf({ lines }: NamedLog): Promise<{ line: LogLine; atMs: number } | undefined> {
  const next = await lines.next();
  return next.done === true ? undefined : { line: next.value, atMs: Date.parse(next.value.time) };
}
