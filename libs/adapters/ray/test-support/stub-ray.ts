/**
 * A stub of Ray for the submitter's program: a dashboard with the answers of Ray 2.60, and a Python package with Ray's
 * client. Ray itself has 380 MB; the tests on the real node run the program with it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** Answers to calls of one path, in turn; the last one is repeated. */
export interface StubAnswers {
  /** GET of the job. Default: missing until it has been accepted, and then succeeded. */
  readonly job?: readonly StubAnswer[];
  /** POST. Default: accepted. */
  readonly submit?: readonly StubAnswer[];
  readonly version?: readonly StubAnswer[];
  /** Of the job's node. */
  readonly node?: readonly StubAnswer[];
  /** The log of each connection. With another status than 200 the connection is cut after it. */
  readonly log?: readonly StubAnswer[];
}

export type StubAnswer = readonly [status: number, body: unknown];

export const JOB_SUCCEEDED: StubAnswer = [200, { status: 'SUCCEEDED', message: 'Job finished successfully.' }];
export const JOB_RUNS: StubAnswer = [200, { status: 'RUNNING', message: 'Job is currently running.' }];
export const NO_JOB: StubAnswer = [404, 'Job mnist does not exist'];

export class StubDashboard implements AsyncDisposable {
  /** The bodies of the submissions. */
  readonly submitted: unknown[] = [];
  readonly tokens = new Set<string | undefined>();
  readonly #answers: StubAnswers;
  readonly #calls = new Map<string, number>();
  #hasJob = false;
  readonly #server = createServer((request, response) => void this.#answer(request, response));

  constructor(answers: StubAnswers = {}) {
    this.#answers = answers;
  }

  async address(): Promise<string> {
    if (!this.#server.listening)
      await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', () => resolve()));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.tokens.add(request.headers.authorization);
    const [status, body] = await this.#find(request);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #find(request: IncomingMessage): Promise<StubAnswer> {
    const { version, submit, log, job, node } = this.#answers;
    if (request.url === '/api/version') return this.#next('version', version ?? [[200, { session_name: 'session_1' }]]);
    if (request.method === 'POST') {
      this.submitted.push(JSON.parse(Buffer.concat(await request.toArray()).toString()));
      const answer = this.#next('submit', submit ?? [[200, {}]]);
      this.#hasJob ||= answer[0] === 200;
      return answer;
    }
    if (request.url?.startsWith('/api/v0/nodes') === true) return this.#next('node', node ?? [[404, '']]);
    if (request.url?.endsWith('/logs/tail') === true) return this.#next('log', log ?? [[200, 'all is well\n']]);
    if (job !== undefined) return this.#next('job', job);
    return this.#hasJob ? JOB_SUCCEEDED : NO_JOB;
  }

  #next(path: string, answers: readonly StubAnswer[]): StubAnswer {
    const at = this.#calls.get(path) ?? 0;
    this.#calls.set(path, at + 1);
    return answers[Math.min(at, answers.length - 1)]!;
  }
}

const CLIENT = `\
import json, urllib.error, urllib.request


class JobSubmissionClient:
    def __init__(self, address):
        self.address = address

    def ask(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.address + path, data)) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def submit_job(self, **job):
        if job.get("runtime_env", {}).get("working_dir", "").startswith("/"):
            raise ValueError("directory must be an existing directory")
        status, text = self.ask("/api/jobs/", job)
        if status != 200:
            raise RuntimeError("Request failed with status code %d: %s." % (status, text))

    async def tail_job_logs(self, job_id):
        status, text = self.ask("/api/jobs/" + job_id + "/logs/tail")
        for line in text.splitlines(keepends=True):
            yield line
        if status != 200:
            raise RuntimeError("WebSocket connection closed unexpectedly")
`;

/**
 * Pauses between answers take a tenth of their time, so that tests see every step of the program. Clocks are real.
 * Python loads the first file before the program, and the second with Ray's client, before any pause.
 */
const SHORT_PAUSES = `\
import time

sleep = time.sleep
time.sleep = lambda seconds: sleep(seconds / 10)
`;
const SHORT_ASYNC_PAUSES = `\
import asyncio

sleep, wait = asyncio.sleep, asyncio.wait
asyncio.sleep = lambda seconds: sleep(seconds / 10)
asyncio.wait = lambda tasks, timeout: wait(tasks, timeout=timeout / 10)
`;

/** For PYTHONPATH. */
export async function writeStubRay(folder: string): Promise<void> {
  await mkdir(join(folder, 'ray'), { recursive: true });
  const files = {
    'ray/__init__.py': SHORT_ASYNC_PAUSES,
    'ray/job_submission.py': CLIENT,
    'aiohttp.py': '',
    'sitecustomize.py': SHORT_PAUSES,
    'requests.py': 'class RequestException(IOError):\n    pass\n\n\ndef request():\n    pass\n',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
}
