/** Requests to Ray's dashboard and its answers, with bodies of Ray 2.60. */
import { describe, expect, it } from 'vitest';
import {
  isNodeDead,
  jobCall,
  nodeCall,
  readJobReply,
  readSessionReply,
  readSubmissionReply,
  sessionCall,
  stopCall,
  submitCall,
  tokenHeaders,
  type DashboardAnswer,
  type DashboardReply,
  type SubmissionAnswer,
} from './dashboard.ts';

function answers(status: number, body: unknown): DashboardReply {
  return { answer: { status, body }, failures: 0, ageMs: 500 };
}

const NO_ANSWER: DashboardReply = {
  problem: 'it did not respond within 2 s',
  failures: 3,
  ageMs: 9000,
  askedForMs: 12_000,
};

const TAKEN =
  'RuntimeError: Request failed with status code 400: Traceback (most recent call last):\nValueError: Job with ' +
  'submission_id j1 already exists. Please use a different submission_id.\n.';

describe('an answer about a job', () => {
  it.each<[what: string, reply: DashboardReply | undefined, expected: DashboardAnswer | undefined]>([
    ['none yet', undefined, undefined],
    ['none before the first answer', { failures: 0 }, undefined],
    [
      'a job that runs',
      answers(200, { status: 'RUNNING', message: 'Job is currently running.', start_time: 1000, end_time: null }),
      { kind: 'Job', status: 'RUNNING', message: 'Job is currently running.', startMs: 1000 },
    ],
    [
      'a job that has ended',
      answers(200, { status: 'SUCCEEDED', message: null, start_time: 1000, end_time: 2000 }),
      { kind: 'Job', status: 'SUCCEEDED', message: '', startMs: 1000, endMs: 2000 },
    ],
    ['an unknown job', answers(404, 'Job nope does not exist'), { kind: 'NotFound', ageMs: 500 }],
    [
      'nothing',
      NO_ANSWER,
      { kind: 'Silent', problem: 'it did not respond within 2 s', failures: 3, askedForMs: 12_000 },
    ],
    [
      'a failed request after an earlier answer',
      { ...NO_ANSWER, ...answers(200, { status: 'RUNNING' }), problem: 'gone', failures: 1 },
      { kind: 'Silent', problem: 'gone', failures: 1, askedForMs: 12_000 },
    ],
  ])('%s', (_what, reply, expected) => {
    expect(readJobReply(reply)).toEqual(expected);
  });

  it.each(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED'])('%s is a state', (status) => {
    expect(readJobReply(answers(200, { status }))).toMatchObject({ kind: 'Job', status });
  });

  it.each<[what: string, reply: DashboardReply, problem: RegExp]>([
    [
      'no token',
      answers(401, 'Unauthorized: Missing authentication token'),
      /answers 401: it requires a token.*Missing/,
    ],
    ['another token', answers(403, 'Forbidden: Invalid authentication token'), /answers 403: it requires a token/],
    ['an internal error', answers(500, 'Traceback\nKeyError'), /answers 500: Traceback/],
    ['a body that is not a job', answers(200, '<html>'), /did not return a job: <html>/],
    ['an unknown state', answers(200, { status: 'DREAMING' }), /did not return a job/],
    [
      'a Service that the API server does not find',
      answers(404, { kind: 'Status', message: 'services "x" not found' }),
      /answers 404: .*not found/,
    ],
  ])("%s does not contain the job's state", (_what, reply, problem) => {
    const answer = readJobReply(reply);
    expect(answer).toMatchObject({ kind: 'Silent', problem: expect.stringMatching(problem) as unknown });
  });

  it('is truncated to the end of a long text, where a traceback names the error', () => {
    const answer = readJobReply(answers(500, `${'x'.repeat(5000)}ValueError: five`));
    expect(answer).toMatchObject({ problem: expect.stringMatching(/…x{400,}ValueError: five$/) as unknown });
  });
});

describe('an answer to a submission', () => {
  it.each<[what: string, reply: DashboardReply | undefined, expected: Partial<SubmissionAnswer> | undefined]>([
    ['none yet', undefined, undefined],
    ['accepted', answers(200, { submission_id: 'j1' }), { kind: 'Accepted', ageMs: 500 }],
    ['an id that is taken: it has arrived before', answers(500, TAKEN), { kind: 'Accepted' }],
    ['a bad request', answers(400, 'TypeError: metadata values must be strings'), { kind: 'Refused' }],
    ['refused by the agent', answers(500, 'Request failed with status code 400: KeyError'), { kind: 'Refused' }],
    ['no agent yet', answers(500, 'No available agent to submit job'), { kind: 'Unanswered' }],
    ['no token', answers(401, ''), { kind: 'Unanswered' }],
    ['no answer', NO_ANSWER, { kind: 'Unanswered', problem: 'it did not respond within 2 s' }],
  ])('%s', (_what, reply, expected) => {
    const answer = readSubmissionReply(reply);
    if (expected === undefined) expect(answer).toBeUndefined();
    else expect(answer).toMatchObject(expected);
  });
});

describe('an answer about the session', () => {
  it.each<[what: string, reply: DashboardReply | undefined, session: string | undefined]>([
    ['none yet', undefined, undefined],
    ['a session', answers(200, { ray_version: '2.60.0', session_name: 'session_1' }), 'session_1'],
    ['an old Ray without a session', answers(200, { ray_version: '2.0.0' }), ''],
    ['a refusal', answers(401, 'Unauthorized'), ''],
    ['no answer', NO_ANSWER, ''],
  ])('%s', (_what, reply, session) => {
    expect(readSessionReply(reply)).toBe(session);
  });
});

describe('an answer about a node', () => {
  const of = (state: string) => ({ data: { result: { result: [{ node_id: 'n', state }] } } });

  it.each<[what: string, reply: DashboardReply | undefined, isDead: boolean]>([
    ['none yet', undefined, false],
    ['alive', answers(200, of('ALIVE')), false],
    ['dead', answers(200, of('DEAD')), true],
    ['unknown', answers(200, { data: { result: { result: [] } } }), false],
    ['an unknown id', answers(500, { data: { result: null } }), false],
    ['a failed request', { ...answers(200, of('DEAD')), problem: 'away' }, false],
  ])('%s', (_what, reply, isDead) => {
    expect(isNodeDead(reply)).toBe(isDead);
  });
});

describe('requests to the dashboard', () => {
  it('are data', () => {
    expect(jobCall('a/b')).toEqual({ path: '/api/jobs/a%2Fb', method: 'GET' });
    expect(nodeCall('ab')).toEqual({
      path: '/api/v0/nodes?filter_keys=node_id&filter_predicates=%3D&filter_values=ab',
      method: 'GET',
    });
    expect(stopCall('j1')).toEqual({ path: '/api/jobs/j1/stop', method: 'POST', body: {} });
    expect(sessionCall()).toEqual({ path: '/api/version', method: 'GET' });
    const submission = { entrypoint: 'echo', submission_id: 'j1' };
    expect(submitCall(submission)).toEqual({ path: '/api/jobs/', method: 'POST', body: submission });
    expect(tokenHeaders('t')).toEqual({ 'x-ray-authorization': 'Bearer t' });
  });
});
