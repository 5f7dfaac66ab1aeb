/** The submitter's program, run by a real Python with a failing dashboard. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  JOB_RUNS,
  JOB_SUCCEEDED,
  NO_JOB,
  StubDashboard,
  writeStubRay,
  type StubAnswer,
  type StubAnswers,
} from '../../test-support/stub-ray.ts';
import type { RayJobSubmission } from './dashboard.ts';
import { submitCommand, SUBMITTER_EXIT } from './submit-script.ts';

const SUBMISSION: RayJobSubmission = {
  entrypoint: 'echo "$HOME" $$',
  submission_id: 'mnist',
  runtime_env: { env_vars: { A: 'ü' } },
  metadata: { a: 'b' },
  entrypoint_num_cpus: 0.5,
};
const AGENT_REFUSES: StubAnswer = [500, 'Request failed with status code 400: KeyError'];
const NO_AGENT: StubAnswer = [500, 'No available agent to submit job, please try again later.'];
const AWAY: StubAnswer = [502, 'no head'];
const JOB_FAILED: StubAnswer = [
  200,
  {
    status: 'FAILED',
    message: 'Job entrypoint command failed with exit code 3, last available logs (truncated): oops',
  },
];

const { notSucceeded, refused, tryAgain } = SUBMITTER_EXIT;

/** The interpreter itself, not a wrapper script. Undefined without Python. */
const PYTHON = spawnSync('python3', ['-c', 'import sys; print(sys.executable)']).stdout?.toString().trim();

let stub: string;

beforeAll(async () => {
  stub = await mkdtemp(join(tmpdir(), 'muster-stub-ray-'));
  await writeStubRay(stub);
  if (PYTHON) await symlink(PYTHON, join(stub, 'python'));
});
afterAll(() => rm(stub, { recursive: true }));

interface Run {
  readonly code: number | null;
  /** Both outputs. */
  readonly text: string;
}

/** @param onText called with all output until then */
async function run(
  address: string,
  env: Record<string, string> = {},
  onText: (text: string, kill: () => void) => void = () => undefined,
  submission = SUBMISSION,
): Promise<Run> {
  const { command, args } = submitCommand(submission);
  const [shell = '', ...rest] = [...command, ...args];
  const child = spawn(shell, rest, {
    env: {
      PATH: `${stub}:${process.env['PATH']}`,
      PYTHONPATH: stub,
      RAY_ADDRESS: 'unused.example:1',
      RAY_DASHBOARD_ADDRESS: address,
      RAY_JOB_SUBMISSION_ID: 'mnist',
      ...env,
    },
  });
  let text = '';
  const add = (chunk: Buffer) => {
    text += chunk.toString();
    onText(text, () => child.kill('SIGTERM'));
  };
  child.stdout.on('data', add);
  child.stderr.on('data', add);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, text };
}

describe.skipIf(!PYTHON).concurrent("the submitter's program", () => {
  it.each<[what: string, answers: StubAnswers, code: number, text: RegExp, submissions: number]>([
    [
      'submits the job, writes its log and exits with 0',
      {},
      0,
      /^Job 'mnist' has been submitted.*\nall is well\nJob 'mnist' SUCCEEDED: Job finished successfully.\n$/,
      1,
    ],
    [
      'exits by the result of the job',
      { job: [NO_JOB, JOB_FAILED] },
      notSucceeded,
      /\nJob 'mnist' FAILED: Job entrypoint command failed with exit code 3\n$/,
      1,
    ],
    [
      'fails when the job was stopped',
      { job: [NO_JOB, [200, { status: 'STOPPED', message: 'Job was intentionally stopped.' }]] },
      notSucceeded,
      /STOPPED: Job was intentionally stopped/,
      1,
    ],
    [
      'follows an existing job',
      { job: [JOB_RUNS, JOB_SUCCEEDED] },
      0,
      /^Job 'mnist' is already at .*, and is followed.\nall is well\n/,
      0,
    ],
    [
      'waits for the dashboard, and reports that',
      {
        version: [
          [503, 'not yet'],
          [200, { session_name: 'session_1' }],
        ],
      },
      0,
      /^Waiting for Ray's dashboard at .* \(0 s\): it answers 503: not yet\nJob 'mnist' has been submitted/,
      1,
    ],
    [
      'writes a log once although its connection is cut',
      {
        job: [NO_JOB, JOB_RUNS, JOB_RUNS, JOB_SUCCEEDED],
        log: [
          [500, 'one\n'],
          [200, 'one\ntwo\n'],
        ],
      },
      0,
      /submitted to [^\n]*\none\nThe log cannot be followed and is retried[^\n]*\ntwo\nJob 'mnist' SUCCEEDED/,
      1,
    ],
    [
      'continues while the dashboard is away for a moment',
      { job: [NO_JOB, JOB_RUNS, AWAY, AWAY, AWAY, AWAY, JOB_SUCCEEDED] },
      0,
      /Waiting for Ray's dashboard[^]*SUCCEEDED/,
      1,
    ],
    [
      'does not resubmit a job that Ray has lost',
      { job: [NO_JOB, JOB_RUNS, NO_JOB] },
      refused,
      /Ray no longer has job 'mnist', because its head was restarted.* It is not submitted again.\n$/,
      1,
    ],
    [
      'ends when the job was lost with the head, although Ray reports that it runs',
      {
        job: [NO_JOB, [200, { status: 'RUNNING', driver_node_id: 'abc' }]],
        log: [
          [200, 'one\n'],
          [500, ''],
        ],
        node: [[200, { data: { result: { result: [{ state: 'DEAD' }] } } }]],
      },
      refused,
      /one\nThe log cannot be followed.*\nThe node on which the entrypoint of job 'mnist' ran is gone/,
      1,
    ],
    ['gives up a job that Ray refuses', { submit: [AGENT_REFUSES] }, refused, /Ray refuses job 'mnist': .*KeyError/, 1],
    [
      'retries if Ray is not ready',
      { submit: [NO_AGENT, [200, {}]] },
      0,
      /could not be submitted: [^]*has been submitted/,
      2,
    ],
    [
      'does not resubmit a job that has arrived, although the answer was lost',
      { submit: [NO_AGENT], job: [NO_JOB, JOB_RUNS, JOB_SUCCEEDED] },
      0,
      /^Job 'mnist' is at /,
      1,
    ],
    [
      'ends at once without the right token',
      { version: [[403, 'Forbidden: Invalid authentication token']] },
      refused,
      /answers 403: it requires a token in RAY_AUTH_TOKEN/,
      0,
    ],
  ])('%s', async (_what, answers, code, text, submissions) => {
    await using dashboard = new StubDashboard(answers);
    const ended = await run(await dashboard.address());
    expect(ended.text).toMatch(text);
    expect(ended.code).toBe(code);
    expect(dashboard.submitted).toEqual(Array.from({ length: submissions }, () => SUBMISSION));
  });

  it('sends the token', async () => {
    await using dashboard = new StubDashboard();
    const { code } = await run(await dashboard.address(), { RAY_AUTH_TOKEN: 'secret' });
    expect(code).toBe(0);
    expect(dashboard.tokens).toContain('Bearer secret');
  });

  it('submits nothing to another session of Ray', async () => {
    await using dashboard = new StubDashboard();
    const { code, text } = await run(await dashboard.address(), { MUSTER_RAY_SESSION: 'session_0' });
    expect([code, dashboard.submitted]).toEqual([refused, []]);
    expect(text).toMatch(/is not submitted again/);
  });

  it('fails for an invalid runtime environment', async () => {
    await using dashboard = new StubDashboard();
    const submission = { ...SUBMISSION, runtime_env: { working_dir: '/nowhere' } };
    const { code, text } = await run(await dashboard.address(), {}, undefined, submission);
    expect([code, dashboard.submitted]).toEqual([refused, []]);
    expect(text).toMatch(/Ray refuses job 'mnist': directory must be an existing directory/);
  });

  it('gives up if the dashboard does not answer', async () => {
    const { code, text } = await run('127.0.0.1:9', { MUSTER_RAY_SILENCE_LIMIT_SECONDS: '1' });
    expect(code).toBe(tryAgain);
    expect(text).toMatch(/Ray's dashboard at http:\/\/127.0.0.1:9 did not answer for 1 s: .*refused/);
  });

  it('ends upon a signal', async () => {
    const { code } = await run('127.0.0.1:9', {}, (text, kill) => text.includes('Waiting') && kill());
    expect(code).toBe(143);
  });

  it('reports what an image without Ray lacks', async () => {
    const { code, text } = await run('127.0.0.1:9', { PYTHONPATH: '' });
    expect(code).toBe(refused);
    expect(text).toMatch(/^This image has no Python with ray\[default\]: set spec.submitterPodTemplate/);
  });
});
