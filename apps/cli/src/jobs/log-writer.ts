/**
 * How a line of a log is printed: the text as the program wrote it, with its control characters, as kubectl prints it; before it
 * whose it is, in a colour of its own on a terminal, and when it was.
 */
import { styled, visible } from '../terminal/output.ts';
import type { LogLine } from './pod-log.ts';

const COLOURS = ['cyan', 'yellow', 'green', 'magenta', 'blue', 'red'] as const;

export interface LogWriterOptions {
  /** Whether each line says whose it is. */
  readonly prefix: boolean;
  readonly timestamps: boolean;
  readonly stream: NodeJS.WritableStream;
}

/** Takes the name of a replica and a line of its log. Names are padded to the longest so far. */
export function logWriter({ prefix, timestamps, stream }: LogWriterOptions): (name: string, line: LogLine) => void {
  const known: string[] = [];
  let width = 0;
  return (name, { time, text }) => {
    if (!known.includes(name)) known.push(name);
    width = Math.max(width, name.length);
    const colour = COLOURS[known.indexOf(name) % COLOURS.length] ?? 'cyan';
    const whose = prefix ? `${visible(styled(colour, `${name.padEnd(width)} |`, stream))} ` : '';
    stream.write(`${whose}${timestamps ? `${time} ` : ''}${text}\n`);
  };
}
