/** A steady load of HTTP requests, each over its own connection, as most clients of a Service send them. */
import { request } from 'node:http';
import { setInterval as every } from 'node:timers/promises';

const EVERY_MS = 200;
/** Requests in flight: a service that does not answer must not collect more. */
const MOST_PARALLEL = 10;
/** On busy cores a start of another Ray cluster delays answers by half a minute. */
const TIMEOUT_MS = 120_000;

export interface HttpReply {
  readonly code: number;
  readonly text: string;
}

/** Rejects if there is no answer within two minutes. */
export function post(url: string, body: unknown): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        agent: false,
        headers: { 'content-type': 'application/json' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => (text += part));
        response.on('error', reject);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

export interface LoadResult {
  readonly answered: number;
  /** When and why, in the order in which the requests were sent. */
  readonly lost: readonly string[];
}

export interface SteadyLoad {
  readonly answered: number;
  readonly lost: readonly string[];
  /** Waits for the requests in flight. */
  stop(): Promise<LoadResult>;
}

/** Sends a request five times a second until it is stopped. @param isGood whether an answer is right */
export function steadyLoad(url: string, body: unknown, isGood: (reply: HttpReply) => boolean): SteadyLoad {
  const stopped = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const lost: string[] = [];
  let answered = 0;
  const send = async () => {
    const at = new Date().toISOString();
    try {
      const reply = await post(url, body);
      if (isGood(reply)) answered++;
      else lost.push(`${at}: ${reply.code} ${reply.text.slice(0, 200)}`);
    } catch (error) {
      lost.push(`${at}: ${String(error)}`);
    }
  };
  const run = async () => {
    try {
      for await (const _ of every(EVERY_MS, undefined, { signal: stopped.signal })) {
        if (inFlight.size >= MOST_PARALLEL) continue;
        const one = send().finally(() => inFlight.delete(one));
        inFlight.add(one);
      }
    } catch (error) {
      if (!stopped.signal.aborted) throw error;
    }
  };
  const running = run();
  return {
    get answered() {
      return answered;
    },
    lost,
    async stop() {
      stopped.abort();
      await running;
      await Promise.all(inFlight);
      return { answered, lost };
    },
  };
}
