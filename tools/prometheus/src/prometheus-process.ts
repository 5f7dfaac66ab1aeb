/** A Prometheus on the loopback address, with its data in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface PrometheusProcess {
  readonly url: string;
  /** Resolves with the last lines of its log when it has ended, also by `stop`. */
  readonly ended: Promise<string>;
  /** Stops it and removes its data. Safe to repeat. */
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 60_000;
/** Long enough to flush its data. */
const STOP_LIMIT_MS = 10_000;
/** Number of last lines that explain its end. */
const KEPT_LINES = 8;

/** Resolves when it is ready. Otherwise throws an Error with the last lines of its log. */
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
    // The kernel assigns a free port, which is read from the log.
    '--web.listen-address=127.0.0.1:0',
    '--log.format=json',
  ];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const log = readLog(child);
  const ended = once(child, 'close').then(() => log.lastLines());
  // Prevents an unhandled rejection.
  ended.catch(() => undefined);
  // This process may exit without calling `stop`.
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
    throw new Error(`Prometheus (${program}) does not respond: ${messageOf(error)}`, { cause: error });
  }
}

/** Reads the address and the last lines from the log. */
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

/** Returns the URL when Prometheus is ready. */
async function answering(address: Promise<string>, ended: Promise<string>, signal: AbortSignal): Promise<string> {
  const over = Promise.withResolvers<never>();
  const abort = () => over.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  ended.then((lines) => over.reject(new Error(`it ended:\n${lines}`)), over.reject);
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
