/** Passes on the events of one watch until a fault ends it: line by line, because faults count events. */
import type { ServerResponse } from 'node:http';
import type { Fault } from './fault.ts';

export interface WatchTap {
  pass(chunk: Buffer): void;
  /** The server ended the watch normally. */
  end(): void;
  cut(): void;
  /** No more data passes, and the connection stays open. */
  stall(): void;
}

const LINE_FEED = '\n';

const EXPIRED = {
  type: 'ERROR',
  object: {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    code: 410,
    reason: 'Expired',
    message: 'injected: too old resource version',
  },
};

export function createWatchTap(response: ServerResponse, fault: Fault | undefined): WatchTap {
  let left = fault !== undefined && 'afterEvents' in fault ? (fault.afterEvents ?? 0) : Infinity;
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
      // Not at once: sent data has to arrive, or a watch that is cut after each event would make no progress.
      if (response.socket === null) response.destroy();
      else response.socket.destroySoon();
    },
    stall() {
      silent = true;
    },
  };
  function meet(next: string): void {
    if (fault?.type === 'expire') return expire();
    if (fault?.type !== 'cut') return tap.stall();
    if (fault.midLine !== true) return tap.cut();
    silent = true;
    // The half line has to arrive before the connection is cut.
    response.write(next.slice(0, Math.ceil(next.length / 2)), () => response.destroy());
  }
  function expire(): void {
    silent = true;
    response.end(JSON.stringify(EXPIRED) + LINE_FEED);
  }
  if (left === 0 && fault?.type === 'stall') tap.stall();
  return tap;
}
