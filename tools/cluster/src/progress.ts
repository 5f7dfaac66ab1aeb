/**
 * The progress output while a cluster starts: one line per step, with its duration. On a terminal the running step's line is redrawn; in a
 * log each step has a line at its start and one at its end.
 */
import type { Writable } from 'node:stream';

export interface ProgressStep {
  /** Replaces the text behind the running step's title (shown on terminals only). */
  readonly detail: (text: string) => void;
}

export interface Progress {
  /** Shows the title while the work runs, then the duration; passes on the work's result or error. */
  step<T>(title: string, work: (step: ProgressStep) => Promise<T>): Promise<T>;
  /** Prints one line. */
  note(line: string): void;
}

/** Prints nothing: for tests and for callers that need only the result. */
export const silentProgress: Progress = {
  step: (_title, work) => work({ detail: () => undefined }),
  note: () => undefined,
};

/** Progress on a stream, standard error by default, so that standard output has only results. */
export function terminalProgress(stream: Writable & { isTTY?: boolean; columns?: number } = process.stderr): Progress {
  return stream.isTTY === true ? redrawnProgress(stream) : plainProgress(stream);
}

function plainProgress(stream: Writable): Progress {
  return {
    async step(title, work) {
      const started = Date.now();
      stream.write(`${title} ...\n`);
      const result = await work({ detail: () => undefined });
      stream.write(`${title}: done in ${elapsed(started)}\n`);
      return result;
    },
    note: (line) => void stream.write(`${line}\n`),
  };
}

function redrawnProgress(stream: Writable & { columns?: number }): Progress {
  const clear = '\r\u001b[2K';
  return {
    async step(title, work) {
      const started = Date.now();
      let detail = '';
      const draw = () => {
        const line = `  ${title} ... ${elapsed(started)}${detail === '' ? '' : `  ${detail}`}`;
        stream.write(clear + line.slice(0, (stream.columns ?? 80) - 1));
      };
      draw();
      const timer = setInterval(draw, 200);
      let mark = '✗';
      try {
        const result = await work({ detail: (text) => void (detail = text) });
        mark = '✓';
        return result;
      } finally {
        clearInterval(timer);
        stream.write(`${clear}${mark} ${title} (${elapsed(started)})\n`);
      }
    },
    note: (line) => void stream.write(`${clear}  ${line}\n`),
  };
}

function elapsed(startedMs: number): string {
  return `${((Date.now() - startedMs) / 1000).toFixed(1)} s`;
}
