/** The log of one container, line by line, with the time of each line. */
import { StringDecoder } from 'node:string_decoder';
import type { ClusterClient } from '@muster/kube';

export interface PodLogOptions {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Goes on until the container ends. */
  readonly follow?: boolean;
  /** Of the container before the last restart. */
  readonly previous?: boolean;
  /** Only so many lines, the last ones. */
  readonly tailLines?: number | undefined;
  /** Only lines after this one: as the log says it. */
  readonly after?: string | undefined;
  readonly signal?: AbortSignal;
}

export interface LogLine {
  /** RFC 3339, as the container runtime has it. */
  readonly time: string;
  readonly text: string;
}

/** Throws a `KubeError` where there is no log, or the connection is cut. */
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
    // Counted in whole seconds there: what was seen already is left out below.
    ...(after !== undefined && { sinceTime: after.replace(/[.]\d+/, '') }),
  });
  const path = `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}/log?${query.toString()}`;
  for await (const line of linesOf(await client.textStream(path, signal && { signal }))) {
    const [time = '', ...words] = line.split(' ');
    // A kubelet may answer with a line of its own in place of a log: `unable to retrieve container logs for …`.
    if (!TIME.test(time)) continue;
    if (after === undefined || time > after) yield { time, text: words.join(' ') };
  }
}

const TIME = /^\d{4}-\d{2}-\d{2}T/;

/** Wherever the stream is cut, within a character too; also the last line, which may lack its end. */
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
