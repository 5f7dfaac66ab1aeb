/**
 * All writes to standard output and standard error. Control characters are escaped
 * (`control-characters.ts`); only styles that this program adds itself reach the terminal as they are.
 */
import { randomBytes } from 'node:crypto';
import { styleText } from 'node:util';
import { withoutControls } from './control-characters.ts';

export type Style = Parameters<typeof styleText>[0];

/** Replaces the escape character of our own styles until the text is written. It is random, so no other text contains it. */
const OWN_ESCAPE = `<${randomBytes(12).toString('hex')}>`;

/** Styled if `stream` is a terminal and `NO_COLOR` is unset. For texts that this module writes. */
export function styled(style: Style, text: string, stream: NodeJS.WritableStream = process.stdout): string {
  return styleText(style, withoutControls(text), { stream }).replaceAll('\x1b', OWN_ESCAPE);
}

/** The text as it is written, with escaped control characters. */
export function visible(text: string): string {
  return text.split(OWN_ESCAPE).map(withoutControls).join('\x1b');
}

/** Writes the result to standard output. */
export function out(text: string): void {
  process.stdout.write(visible(text));
}

/** Writes a line to standard error: progress, hints. */
export function note(line: string): void {
  process.stderr.write(`${visible(line)}\n`);
}

export function warn(message: string): void {
  note(`warning: ${message}`);
}

/** Reports why the command failed. */
export function fail(message: string): void {
  note(`error: ${message}`);
}

/**
 * Handles a reader that has closed the pipe, as in `muster list | head`.
 *
 * @param outlivesReader true: the command continues, because its exit code is the result. False: it ends with the current exit
 *   code.
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
