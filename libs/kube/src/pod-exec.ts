/** Runs a command in a container, through the API server, over a WebSocket as kubectl does. Nothing is sent to its standard input. */
import type { ApiStatus } from '@muster/job-api';
import { Agent, WebSocket } from 'undici';
import { connectionError } from './answer-error.ts';
import type { KubeClient } from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { isKubeError } from './kube-error.ts';
import { createConnector } from './transport.ts';

interface ExecRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
  readonly signal?: AbortSignal;
}

/** The command ran and failed. */
export class ExecError extends Error {
  override readonly name = 'ExecError';
  /** Undefined if it could not be started. */
  readonly exitCode: number | undefined;
  readonly stderr: string;

  constructor(message: string, exitCode: number | undefined, stderr: string) {
    super(message);
    this.exitCode = exitCode;
    this.stderr = stderr;
  }
}

const PROTOCOL = 'v4.channel.k8s.io';

const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;

const LONGEST_STDERR = 4096;

/** Its standard output. Throws a `KubeError` if the API server refuses, and an `ExecError` if the command fails. */
export async function* execInPod(
  access: ClusterAccess,
  client: Pick<KubeClient, 'text'>,
  request: ExecRequest,
): AsyncGenerator<Buffer> {
  const { namespace, pod, container, command, signal } = request;
  const query = new URLSearchParams([
    ['container', container],
    ['stdout', 'true'],
    ['stderr', 'true'],
    ...command.map((word): [string, string] => ['command', word]),
  ]);
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}/exec?${query.toString()}`;
  const title = `exec in pod ${namespace}/${pod}`;
  const { server } = access;
  const closing = new AbortController();
  const agent = new Agent({ connect: createConnector(access, closing.signal), allowH2: false });
  const credentials = await access.headers();
  // The headers of a WebSocket would join several values of a header, such as groups to impersonate.
  const dispatcher = agent.compose(
    (dispatch) => (options, handler) =>
      dispatch({ ...options, headers: { ...(options.headers as Record<string, string>), ...credentials } }, handler),
  );
  const url = server.replace(/^http/, 'ws').replace(/\/$/, '') + path;
  const socket = new WebSocket(url, { protocols: [PROTOCOL], dispatcher });
  socket.binaryType = 'arraybuffer';
  const channel = new ExecChannel(socket);
  const abort = () => socket.close();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    yield* channel.output();
    signal?.throwIfAborted();
    if (channel.status === undefined) {
      // A WebSocket hides the answer, so the same path is requested without one.
      await client.text(path, signal && { signal }).catch((error: unknown) => {
        if (!isKubeError(error, 'BadRequest')) throw error;
      });
      throw connectionError(title, server, new Error('the connection was closed before the command ended'));
    }
    const { status, message = '', details } = channel.status;
    if (status === 'Success') return;
    const code = details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message;
    throw new ExecError(`${title}: ${message}`, code === undefined ? undefined : Number(code), channel.stderr);
  } finally {
    signal?.removeEventListener('abort', abort);
    socket.close();
    closing.abort();
    await agent.destroy();
  }
}

class ExecChannel {
  stderr = '';
  status: ApiStatus | undefined;
  readonly #chunks: Buffer[] = [];
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => this.#receive(Buffer.from(data as ArrayBuffer)));
    const close = () => {
      this.#isClosed = true;
      this.#wake();
    };
    socket.addEventListener('close', close);
    socket.addEventListener('error', close);
  }

  async *output(): AsyncGenerator<Buffer> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) yield chunk;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #receive(frame: Buffer): void {
    const [channel] = frame;
    const data = frame.subarray(1);
    if (channel === STDOUT) this.#chunks.push(data);
    if (channel === STDERR) this.stderr = (this.stderr + data.toString()).slice(0, LONGEST_STDERR);
    if (channel === STATUS) this.status = JSON.parse(data.toString()) as ApiStatus;
    this.#wake();
  }
}
