/** Reads the log of one container by lines, with the time of each line. */
import { StringDecoder } from 'node:string_decoder';
import type { ClusterClient } from '@muster/kube';

export interface PodLogOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Follows the log until the container ends. */
  readonly follow?: boolean;
  /** Reads the log of the container before its last restart. */
  readonly previous?: boolean;
  /** Reads only this number of last lines. */
  readonly tailLines?: number | undefined;
  /** Reads only lines after this time of a line. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface LogLine {
  /** RFC 3339, from the container runtime. */
  readonly time: string;
  readonly text: string;
}

/** Throws a `KubeError` if there is no log or the connection is lost. */
export async function* podLog(
  client: Pick<ClusterClient, 'textStream'>,
  options: PodLogOptions,
): AsyncGenerator<LogLine> {
  const { namespace, pod, container, follow = false, previous = false, tailLines, after, signal } = options;
  const query = new URLSearchParams({
    container,
    timestamps: 'true',
    ...(follow && { follow: 'true' }),
    ...(previous && { previous: 'true' }),
    ...(tailLines !== undefined && { tailLines: String(tailLines) }),
    // sinceTime has whole seconds: lines that were read already are skipped below.
    ...(after !== undefined && { sinceTime: after.replace(/[.]\d+/, '') }),
  });
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`;
  for await (const line of linesOf(await client.textStream(path, signal && { signal }))) {
    const [time = '', ...rest] = line.split(' ');
    // A kubelet may answer with a message instead of a log: `unable to retrieve container logs for …`.
    if (!TIME.test(time)) continue;
    if (after === undefined || time > after) yield { time, text: rest.join(' ') };
  }
}

const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** Splits a stream into lines, whatever its chunks; the last line may lack a line feed. */
async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.write(chunk)).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}
