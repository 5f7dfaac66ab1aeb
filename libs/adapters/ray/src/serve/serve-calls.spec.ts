/** Requests to Ray Serve over HTTP, with the codes and bodies of Ray 2.60. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardCall, DashboardReply } from '../job/dashboard.ts';
import { applicationsCall, deployCall, readApplications, readDeployment } from './serve-calls.ts';
import { serveProblem } from './serve-config.ts';

interface Reply {
  readonly status: number;
  readonly body: string;
}

let server: Server;
let reply: Reply = { status: 200, body: '' };
let received: { method: string | undefined; url: string | undefined; body: string } | undefined;

beforeAll(async () => {
  server = createServer((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      received = { method: request.method, url: request.url, body };
      response.writeHead(reply.status).end(reply.body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => server.close());

/** As a probe sends it: the body of an answer is JSON, or text if it is none. */
async function send({ method, path, body }: DashboardCall, answer: Reply): Promise<DashboardReply> {
  reply = answer;
  const { port } = server.address() as AddressInfo;
  const sent = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const got = await sent.text();
  try {
    return { answer: { status: sent.status, body: JSON.parse(got) as unknown }, failures: 0, ageMs: 0 };
  } catch {
    return { answer: { status: sent.status, body: got }, failures: 0, ageMs: 0 };
  }
}

const NOT_STARTED = '{"controller_info": {}, "proxies": {}, "applications": {}, "target_capacity": null}';

const replica = (state: string) => ({ replica_id: 'x1', state, node_ip: '10.0.0.7' });

const DEPLOYING = JSON.stringify({
  proxy_location: 'EveryNode',
  proxies: { n1: { status: 'HEALTHY' } },
  applications: {
    '': {
      ...{ name: '', route_prefix: '/', status: 'DEPLOYING', message: '', last_deployed_time_s: 1.5 },
      deployments: {
        Hello: {
          ...{ name: 'Hello', status: 'UPDATING', status_trigger: 'CONFIG_UPDATE_STARTED', message: '' },
          ...{ target_num_replicas: 3, replicas: [replica('RUNNING'), replica('STARTING'), replica('STARTING')] },
        },
      },
    },
  },
});

describe('the applications of Ray Serve', () => {
  it('are those of configs', async () => {
    await send(applicationsCall(), { status: 200, body: NOT_STARTED });
    expect(received).toEqual({ method: 'GET', url: '/api/serve/applications/?api_type=declarative', body: '' });
  });

  it('are none before Ray Serve is started', async () => {
    const answer = readApplications(await send(applicationsCall(), { status: 200, body: NOT_STARTED }));
    expect(answer).toEqual({ kind: 'Applications', applications: {} });
  });

  it('have deployments with counts of replicas; the one without a name is the default', async () => {
    const answer = readApplications(await send(applicationsCall(), { status: 200, body: DEPLOYING }));
    expect(answer).toEqual({
      kind: 'Applications',
      applications: {
        default: {
          ...{ status: 'DEPLOYING', message: '' },
          deployments: {
            Hello: { status: 'UPDATING', message: '', replicas: { running: 1, wanted: 3, states: ['STARTING'] } },
          },
        },
      },
    });
  });

  it.each<[what: string, answer: Reply, problem: RegExp]>([
    [
      'the store of the cluster is away',
      { status: 503, body: 'The GCS may be down, please retry later: x' },
      /503.*GCS/,
    ],
    [
      'the image has no Ray Serve',
      { status: 501, body: 'Serve dependencies are not installed.' },
      /501.*not installed/,
    ],
    ['a token is missing', { status: 401, body: 'Unauthorized: Missing authentication token' }, /requires a token/],
    ['another server answers', { status: 200, body: '<html>' }, /did not return applications/],
  ])('are unknown while %s', async (_what, answer, problem) => {
    const read = readApplications(await send(applicationsCall(), answer));
    expect(read).toMatchObject({ kind: 'Silent' });
    expect(read?.kind === 'Silent' && read.problem).toMatch(problem);
  });

  it('are unknown before the first answer, and after a request without one', () => {
    expect(readApplications(undefined)).toBeUndefined();
    expect(readApplications({ failures: 0 })).toBeUndefined();
    const lost = {
      answer: { status: 200, body: JSON.parse(NOT_STARTED) as unknown },
      problem: 'no route',
      failures: 1,
    };
    expect(readApplications(lost)).toEqual({ kind: 'Silent', problem: 'no route' });
  });
});

describe('the submission of a config', () => {
  const config = { applications: [{ name: 'a', import_path: 'hapi:app' }] };

  it('is a PUT of the config as JSON', async () => {
    const answer = readDeployment(await send(deployCall(config), { status: 200, body: '' }));
    expect(received).toEqual({
      method: 'PUT',
      url: '/api/serve/applications/',
      body: '{"applications":[{"name":"a","import_path":"hapi:app"}]}',
    });
    expect(answer).toEqual({ kind: 'Accepted' });
  });

  it.each<[what: string, answer: Reply, expected: object]>([
    [
      'refused with the field and its error',
      {
        status: 400,
        body: '1 validation error for ServeDeploySchema\napplications.0.import_path\n  Value error, Got invalid import path "nocolon". [type=value_error, input_value=\'nocolon\', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.14/v/value_error',
      },
      {
        kind: 'Refused',
        problem: 'applications.0.import_path: Value error, Got invalid import path "nocolon".',
      },
    ],
    [
      'refused by an image without Ray Serve',
      { status: 501, body: 'Serve dependencies are not installed. Please run `pip install "ray[serve]"`.' },
      { kind: 'Refused', problem: 'the image has no Ray Serve: install ray[serve] in it' },
    ],
    [
      'unanswered while the store of the cluster is away',
      { status: 500, body: 'Traceback (most recent call last):\nRpcError: GCS' },
      { kind: 'Unanswered' },
    ],
    ['unanswered by a proxy', { status: 502, body: 'Bad Gateway' }, { kind: 'Unanswered' }],
  ])('is %s', async (_what, answer, expected) => {
    expect(readDeployment(await send(deployCall(config), answer))).toMatchObject(expected);
  });

  it('is unknown without an answer', () => {
    expect(readDeployment(undefined)).toBeUndefined();
    expect(readDeployment({ failures: 0 })).toBeUndefined();
    expect(readDeployment({ problem: 'no route', failures: 3 })).toEqual({ kind: 'Unanswered', problem: 'no route' });
  });
});

describe('why applications are not ready, in one line', () => {
  const healthy = { status: 'HEALTHY', message: '' };
  const running = { status: 'RUNNING', message: '', deployments: { Hello: healthy } };

  it('is undefined if all run', () => {
    expect(serveProblem({ a: running })).toBeUndefined();
  });

  it('names the replicas that do not run', async () => {
    const answer = readApplications(await send(applicationsCall(), { status: 200, body: DEPLOYING }));
    expect(answer?.kind === 'Applications' && serveProblem(answer.applications)).toBe(
      'application default is DEPLOYING: deployment Hello is UPDATING (1 of 3 replicas run, others STARTING)',
    );
  });

  it('names a failed application before one that takes time', () => {
    const message = 'Deploying app \'b\' failed:\nTraceback (most recent call last):\n  File "x"\nValueError: bad\n';
    const failed = { status: 'DEPLOY_FAILED', message, deployments: {} };
    const starting = { status: 'DEPLOYING', message: '', deployments: {} };
    expect(serveProblem({ a: starting, b: failed })).toBe('application b is DEPLOY_FAILED: ValueError: bad');
  });

  it("has the failed deployment's message rather than that of the application", () => {
    const failed = {
      status: 'DEPLOY_FAILED',
      message: "Failed to update the deployments ['Fails'].",
      deployments: {
        Waits: { status: 'UPDATING', message: '' },
        Fails: {
          status: 'DEPLOY_FAILED',
          message:
            'A replica failed to start. Error:\nTraceback (most recent call last):\n  File "x"\nRuntimeError: no weights',
          replicas: { running: 0, wanted: 1, states: [] },
        },
      },
    };
    expect(serveProblem({ a: failed })).toBe(
      'application a is DEPLOY_FAILED: deployment Fails is DEPLOY_FAILED (0 of 1 replicas run): RuntimeError: no weights',
    );
  });
});
