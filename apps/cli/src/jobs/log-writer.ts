/**
 * Prints log lines unchanged, including control characters, as kubectl does. An optional prefix names the replica, in its own
 * colour on a terminal, and the time.
 */
import { styled, visible } from '../terminal/output.ts';
import type { LogLine } from './pod-log.ts';

const COLOURS = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red'] as const;

export interface LogWriterOptions {
  /** Whether each line begins with the name of its replica. */
  readonly prefix: boolean;
  readonly timestamps: boolean;
  readonly stream: NodeJS.WritableStream;
}

/** Takes the name of a replica and a line of its log. Names are padded to the longest printed one. */
export function logWriter({ prefix, timestamps, stream }: LogWriterOptions): (name: string, line: LogLine) => void {
  const known: string[] = [];
  let width = 0;
  return (name, { time, text }) => {
    if (!known.includes(name)) known.push(name);
    width = Math.max(width, name.length);
    const colour = COLOURS[known.indexOf(name) % COLOURS.length] ?? 'cyan';
    const label = prefix ? `${visible(styled(colour, `${name.padEnd(width)} |`, stream))} ` : '';
    stream.write(`${label}${timestamps ? `${time} ` : ''}${text}\n`);
  };
}
