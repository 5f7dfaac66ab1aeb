/**
 * Lines of progress, and below them, on a terminal, one line that is written anew each second: so that somebody who waits sees that
 * time passes. Elsewhere the lines are all there is.
 */
import { visible } from './output.ts';

export interface LiveLine extends Disposable {
  print(line: string): void;
}

/** What it needs of standard output. */
interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const EVERY_MS = 1000;
/** To the first column, and everything to the right of it erased. */
const ERASE = '\r\u001b[K';

/** @param current what the last line says at the time of asking */
export function liveLine(stream: Terminal, current: () => string): LiveLine {
  if (stream.isTTY !== true)
    return { print: (line) => void stream.write(`${visible(line)}\n`), [Symbol.dispose]: () => {} };
  // A line that is broken could not be erased.
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
