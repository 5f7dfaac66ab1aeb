/** One request whose answer is read while it arrives. It is sent once; what is cut is the caller's to resume. */
import { answerError, connectionError } from './answer-error.ts';
import type { Transport } from './transport.ts';

export interface StreamRequest {
  /** What is asked, for errors. */
  title: string;
  server: string;
  path: string;
  signal: AbortSignal | undefined;
  /** The answer is text as it comes, not JSON. */
  plain?: true;
  /** The stream is cut when nothing arrives for so long. Default: never. */
  silenceLimitMs?: number;
}

/**
 * Resolves when the server has accepted the request. Errors, of the request as of the stream, are `KubeError`s or the signal's
 * reason.
 */
export async function openStream(transport: Transport, request: StreamRequest): Promise<AsyncGenerator<Buffer>> {
  const { title, path, signal, plain, silenceLimitMs = 0 } = request;
  const response = await answered(request, () =>
    transport.stream({ method: 'GET', path, signal, ...(plain && { plain }) }, silenceLimitMs),
  );
  if (response.code === 200) return chunksOf(request, response.body);
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(request, response.body)) chunks.push(chunk);
  throw answerError(title, response, Buffer.concat(chunks).toString('utf8'));
}

async function* chunksOf(request: StreamRequest, body: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (;;) {
      const next = await answered(request, () => body.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await body.return(undefined);
  }
}

async function answered<R>({ title, server, signal }: StreamRequest, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw connectionError(title, server, cause);
  }
}
