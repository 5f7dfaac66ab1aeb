/**
 * The one way to standard output and standard error. What people read has its control characters escaped
 * (`control-characters.ts`); only styles that this program adds itself reach the terminal as they are.
 */
import { randomBytes } from 'node:crypto';
import { styleText } from 'node:util';
import { withoutControls } from './control-characters.ts';

export type Style = Parameters<typeof styleText>[0];

/** Stands for the escape character of our own styles until the text is written. No text from elsewhere has it. */
const OWN_ESCAPE = `<${randomBytes(12).toString('hex')}>`;

/** Styled where `stream` is a terminal that wants it (`NO_COLOR` is obeyed). For texts that this module writes. */
export function styled(style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string {
  return styleText(style, withoutControls(text), { stream }).replaceAll('\x1b', OWN_ESCAPE);
}

/** As it is written to a terminal. */
export function visible(text: string): string {
  return text.split(OWN_ESCAPE).map(withoutControls).join('\x1b');
}

/** What scripts read. */
export function out(text: string): void {
  process.stdout.write(visible(text));
}

/** A line that people are told besides, on standard error. */
export function note(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

export function warn(message: string): void {
  note(`warning: ${message}`);
}

/** Why the command has not done what it was asked. */
export function fail(message: string): void {
  note(`error: ${message}`);
}

/**
 * What becomes of a command whose reader is gone, as in `muster list | head`.
 *
 * @param outlivesReader whether the command's exit code says more than its output. It goes on without a reader then; another command
 *   ends, with the exit code that it has so far.
 */
export function onReaderGone(outlivesReader: boolean): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!outlivesReader) process.exit();
  });
  // Nobody can be told. The exit code still says how it went.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
