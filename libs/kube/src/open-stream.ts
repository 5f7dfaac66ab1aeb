/** A request whose answer is streamed. Sent once; the caller resumes a cut stream. */
import { answerError, connectionError } from './answer-error.ts';
import type { Transport } from './transport.ts';

export interface StreamRequest {
  title: string;
  server: string;
  path: string;
  signal: AbortSignal | undefined;
  plain?: true;
  /** The stream is cut without data for this time. Default: never. */
  silenceLimitMs?: number;
}

/** Resolves when the server has accepted the request. Errors are `KubeError`s or the signal's reason. */
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
