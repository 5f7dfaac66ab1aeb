/** Asks over HTTP, straight at the address. */
import type { Answer, Question } from './fact.ts';

/** A question whose address and headers are known. */
export type HttpQuestion = Pick<Question, 'method' | 'body' | 'headers' | 'timeoutMs' | 'largestBody'> & {
  readonly url: string;
};

/** What of an answer is read: no program's word is worth more memory. */
export const LARGEST_BODY = 1024 * 1024;

/**
 * Rejects with a sentence that says why when there is no answer in `question.timeoutMs`, or a larger one than `largestBody`. Redirects are
 * not followed: they could lead anywhere.
 */
export async function httpAsk(question: HttpQuestion, signal: AbortSignal): Promise<Answer> {
  const { url, method = 'GET', body, headers = {}, timeoutMs, largestBody = LARGEST_BODY } = question;
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.any([signal, timeout]),
    });
    return { status: response.status, body: parsedBody(await textOf(response, largestBody)) };
  } catch (error) {
    if (timeout.aborted && !signal.aborted)
      throw new Error(`${url} did not answer in ${timeoutMs / 1000} s`, { cause: error });
    throw new Error(`${url} cannot be asked: ${reasonOf(error)}`, { cause: error });
  }
}

async function textOf({ body }: Response, largest: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largest) throw new Error(`it says more than ${largest} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What a body says as JSON; its text where it is none. */
export function parsedBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `fetch` says only that it failed; why stands in the cause. */
function reasonOf(error: unknown): string {
  const { cause = error } = Object(error) as { cause?: unknown };
  const { code, message } = Object(cause) as { code?: string; message?: string };
  return message !== undefined && message !== '' ? message : (code ?? String(cause));
}
