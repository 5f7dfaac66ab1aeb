/** A Prometheus of our own: on this machine alone, with its data in a folder that goes with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface PrometheusProcess {
  readonly url: string;
  /** Resolves when it has ended, by itself or by `stop`; with the last lines that it wrote. */
  readonly ended: Promise<string>;
  /** Ends it and removes its data. Safe to repeat. */
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 60_000;
/** More than it takes to write down what it has; less than a person waits. */
const STOP_LIMIT_MS = 10_000;
/** So many of its last lines say why it ended. */
const KEPT_LINES = 8;

/** Resolves when it answers queries. Throws an Error with its last words where it does not. */
export async function startPrometheus(
  program: string,
  config: string,
  signal: AbortSignal,
): Promise<PrometheusProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-prometheus-'));
  await writeFile(join(folder, 'prometheus.yml'), config);
  const args = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    '--storage.tsdb.retention.time=1d',
    // The kernel gives a free port; the log says which.
    '--web.listen-address=127.0.0.1:0',
    '--log.format=json',
  ];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const log = readLog(child);
  const ended = once(child, 'close').then(() => log.lastLines());
  // Nobody may be waiting for it yet.
  ended.catch(() => undefined);
  // This process may be ended by what it does not hear of, with nobody left to stop the other.
  const killWithUs = () => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const stop = async () => {
    process.off('exit', killWithUs);
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    await ended.catch(() => undefined);
    clearTimeout(kill);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(READY_LIMIT_MS)]);
    return { url: await answering(log.address, ended, limit), ended, stop };
  } catch (error) {
    await stop();
    signal.throwIfAborted();
    throw new Error(`Prometheus (${program}) does not answer: ${messageOf(error)}`, { cause: error });
  }
}

/** Its log: where it listens, and its last lines. */
function readLog(child: ChildProcess) {
  const lines: string[] = [];
  const address = Promise.withResolvers<string>();
  if (child.stderr !== null) {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      lines.splice(0, lines.length - KEPT_LINES);
      const found =
        /"(?:Listening on|TLS is disabled\.)".*?"address":"([^"]+)"|"address":"([^"]+)".*?"Listening on"/.exec(line);
      if (found !== null) address.resolve(found[1] ?? found[2] ?? '');
    });
  }
  return { address: address.promise, lastLines: () => lines.join('\n') };
}

/** The URL, once it answers there that it is ready. */
async function answering(address: Promise<string>, ended: Promise<string>, signal: AbortSignal): Promise<string> {
  const over = Promise.withResolvers<never>();
  const abort = () => over.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  ended.then((lines) => over.reject(new Error(`it has ended:\n${lines}`)), over.reject);
  try {
    const url = `http://${await Promise.race([address, over.promise])}`;
    for (;;) {
      const isReady = await Promise.race([fetch(`${url}/-/ready`, { signal }).then(({ ok }) => ok), over.promise]);
      if (isReady) return url;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
