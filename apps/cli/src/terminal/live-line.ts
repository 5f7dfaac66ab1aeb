/**
 * Prints lines of progress. On a terminal, a line below them is redrawn each second to show that the command still waits.
 */
import { visible } from './output.ts';

export interface LiveLine extends Disposable {
  print(line: string): void;
}

/** The used part of standard output. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const EVERY_MS = 1000;
/** Moves to the first column and erases the line. */
const ERASE = '\r\u001b[K';

/** @param current returns the text of the last line */
export function liveLine(stream: Terminal, current: () => string): LiveLine {
  if (stream.isTTY !== true)
    return { print: (line) => void stream.write(`${visible(line)}\n`), [Symbol.dispose]: () => {} };
  // A wrapped line could not be erased.
  const draw = () => stream.write(`${ERASE}${visible(current()).slice(0, (stream.columns ?? 80) - 1)}`);
  const timer = setInterval(draw, EVERY_MS);
  return {
    print(line) {
      stream.write(`${ERASE}${visible(line)}\n`);
      draw();
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      stream.write(ERASE);
    },
  };
}
