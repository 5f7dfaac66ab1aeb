import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Answer, Probe } from './probe.ts';

export type HttpProbe = Pick<Probe, 'method' | 'body' | 'headers' | 'timeoutMs' | 'largestBody'> & {
  readonly url: string;
};

export const LARGEST_BODY = 1024 * 1024;

/**
 * Rejects with a sentence about the cause. Redirects are not followed, because they could lead anywhere. Each request has its own
 * connection: pods' addresses change, and a pool per address would stay.
 */
export async function sendHttpProbe(probe: HttpProbe, signal: AbortSignal): Promise<Answer> {
  const { url, method = 'GET', body, headers = {}, timeoutMs, largestBody = LARGEST_BODY } = probe;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = send(url, {
      method,
      agent: false,
      headers: {
        accept: 'application/json',
        ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        ...headers,
      },
      signal: AbortSignal.any([signal, timeout]),
    }).end(text);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: parsedBody(await textOf(response, largestBody)) };
  } catch (error) {
    if (timeout.aborted && !signal.aborted)
      throw new Error(`${url} did not respond within ${timeoutMs / 1000} s`, { cause: error });
    throw new Error(`request to ${url} failed: ${reasonOf(error)}`, { cause: error });
  }
}

async function textOf(response: IncomingMessage, largest: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > largest) throw new Error(`the response exceeds ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The error of a host with several addresses has a code and no message. */
function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: string; message?: string };
  return message !== undefined && message !== '' ? message : (code ?? String(error));
}
