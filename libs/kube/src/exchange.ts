/** One HTTP exchange on an undici pool. `dispatch` avoids the streams and promises of undici's `request`. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

export interface ResponseHead {
  code: number;
  headers: IncomingHttpHeaders;
}

export interface Response extends ResponseHead {
  text: string;
}

export interface StreamedResponse extends ResponseHead {
  /** Throws when the connection is cut. Leaving the loop closes the connection. */
  body: AsyncGenerator<Buffer>;
}

export function exchange(
  pool: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const head: ResponseHead = { code: 0, headers: {} };
  const chunks: Buffer[] = [];
  const abortion = watchSignal(signal, reject);
  pool.dispatch(options, {
    onRequestStart: (controller) => abortion.started(controller),
    onResponseStart(_controller, code, headers) {
      head.code = code;
      head.headers = headers;
    },
    onResponseData(_controller, chunk) {
      chunks.push(chunk);
    },
    onResponseEnd() {
      abortion.over();
      const bytes = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      resolve({ ...head, text: bytes.toString('utf8') });
    },
    onResponseError(_controller, error) {
      abortion.over();
      reject(error);
    },
  });
  return promise;
}

export function streamingExchange(
  pool: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<StreamedResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<StreamedResponse>();
  const body = createByteQueue();
  const fail = (error: unknown): void => {
    reject(error);
    body.fail(error);
  };
  const abortion = watchSignal(signal, fail);
  pool.dispatch(options, {
    onRequestStart: (controller) => abortion.started(controller),
    onResponseStart(controller, code, headers) {
      resolve({ code, headers, body: body.drain(controller) });
    },
    onResponseData: (controller, chunk) => body.push(controller, chunk),
    onResponseEnd() {
      abortion.over();
      body.end();
    },
    onResponseError(_controller, error) {
      abortion.over();
      fail(error);
    },
  });
  return promise;
}

/** Ends an exchange when `signal` aborts, also while the request waits for a free connection. */
function watchSignal(signal: AbortSignal | undefined, reject: (reason: unknown) => void) {
  let running: Dispatcher.DispatchController | undefined;
  const abort = (): void => {
    reject(signal?.reason);
    running?.abort(signal?.reason as Error);
  };
  signal?.addEventListener('abort', abort, { once: true });
  return {
    started(controller: Dispatcher.DispatchController): void {
      running = controller;
      if (signal?.aborted === true) controller.abort(signal.reason as Error);
    },
    over: (): void => signal?.removeEventListener('abort', abort),
  };
}

/** The connection is paused beyond this many unread chunks. */
const WAITING_CHUNKS = 64;

function createByteQueue() {
  let waiting: Buffer[] = [];
  let over: { error?: unknown } | undefined;
  let wake = (): void => undefined;

  async function* drain(controller: Dispatcher.DispatchController): AsyncGenerator<Buffer> {
    try {
      for (;;) {
        const chunks = waiting;
        waiting = [];
        if (controller.paused) controller.resume();
        yield* chunks;
        if (waiting.length > 0) continue;
        if (over !== undefined) {
          if ('error' in over) throw over.error;
          return;
        }
        await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      // The reader left the loop early.
      if (over === undefined) controller.abort(new Error('the reader left'));
    }
  }

  return {
    drain,
    push(controller: Dispatcher.DispatchController, chunk: Buffer): void {
      waiting.push(chunk);
      if (waiting.length >= WAITING_CHUNKS) controller.pause();
      wake();
    },
    end(): void {
      over ??= {};
      wake();
    },
    fail(error: unknown): void {
      over ??= { error };
      wake();
    },
  };
}
