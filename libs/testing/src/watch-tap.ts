/** Passes the events of one watch on until a fault ends that: line by line, because faults count events. */
import type { ServerResponse } from 'node:http';
import type { Fault } from './fault.ts';

export interface WatchTap {
  pass(chunk: Buffer): void;
  /** The server ended the watch in good order. */
  end(): void;
  cut(): void;
  /** Nothing more passes, and the connection stays open. */
  stall(): void;
}

const LINE_FEED = '\n';

export function createWatchTap(response: ServerResponse, fault: Fault | undefined): WatchTap {
  let left = fault?.type === 'cut' || fault?.type === 'stall' ? (fault.afterEvents ?? 0) : Infinity;
  let silent = false;
  let pending = '';
  const decoder = new TextDecoder();
  const tap: WatchTap = {
    pass(chunk) {
      if (silent) return;
      const lines = (pending + decoder.decode(chunk, { stream: true })).split(LINE_FEED);
      pending = lines.pop() ?? '';
      for (const line of lines) {
        if (left === 0) return meet(line);
        left--;
        response.write(line + LINE_FEED);
      }
      if (left === 0 && !(fault?.type === 'cut' && fault.midLine === true)) meet('');
    },
    end() {
      if (!silent) response.end();
    },
    cut() {
      silent = true;
      response.destroy();
    },
    stall() {
      silent = true;
    },
  };
  function meet(next: string): void {
    if (fault?.type !== 'cut') return tap.stall();
    if (fault.midLine !== true) return tap.cut();
    silent = true;
    // The half line has to arrive before the connection goes.
    response.write(next.slice(0, Math.ceil(next.length / 2)), () => response.destroy());
  }
  if (left === 0 && fault?.type === 'stall') tap.stall();
  return tap;
}
