/**
 * All writes to standard output and standard error. Control characters are escaped
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

/** To standard output: the result. */
export function out(text: string): void {
  process.stdout.write(visible(text));
}

/** A line on standard error: progress, hints. */
export function note(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

export function warn(message: string): void {
  note(`warning: ${message}`);
}

/** Why the command failed. */
export function fail(message: string): void {
  note(`error: ${message}`);
}

/**
 * Handles a reader that has closed its end, as in `muster list | head`.
 *
 * @param outlivesReader true: the command goes on without a reader, because its exit code is the result. False: it ends, with the
 *   exit code that is set so far.
 */
export function onReaderGone(outlivesReader: boolean): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    if (!outlivesReader) process.exit();
  });
  // No message can be printed. The exit code remains.
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
