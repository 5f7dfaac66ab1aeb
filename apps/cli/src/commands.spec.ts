/** Messages and exit codes of commands, with answers that a real API server does not give on request. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { apiStub, denied, listOf, status, stubJob } from '../test-support/api-stub.ts';
import { muster, type Running } from '../test-support/command-line.ts';

const JOBS = '/apis/kubeflow.org/v1/namespaces/default/pytorchjobs';
const PODS = '/api/v1/namespaces/default/pods';
const PYTORCH_LABELS = {
  'training.kubeflow.org/job-name': 'mnist',
  'training.kubeflow.org/replica-type': 'worker',
  'training.kubeflow.org/replica-index': '0',
  'training.kubeflow.org/operator-name': 'pytorchjob-controller',
};
const ESC = '\x1b';
const FAILED = {
  state: 'Failed',
  conditions: [{ type: 'Failed', status: 'True', reason: 'Bad', message: `gone ${ESC}]0;pwned\x07 wrong` }],
};

function run(kubeconfig: string, ...args: string[]): Running {
  return muster([...args, '--kubeconfig', kubeconfig]);
}

describe('a user without permissions', () => {
  it('gets exit code 7 and the message that the existence of the job is unknown', async () => {
    const { kubeconfig } = await apiStub((request) => (request === `GET ${JOBS}/mnist` ? denied('get') : undefined));
    const { code, err } = await run(kubeconfig, 'get', 'mnist').ended;
    expect(err).toBe(
      'error: You are not allowed to get PyTorchJob in namespace default: it is unknown whether job mnist exists.\n',
    );
    expect(code).toBe(7);
  });

  it('gets an error if no kind can be listed', async () => {
    const { kubeconfig } = await apiStub((request) => (request === `GET ${JOBS}` ? denied('list') : undefined));
    for (const output of ['table', 'json']) {
      const { code, out, err } = await run(kubeconfig, 'list', '-o', output).ended;
      expect({ code, out }).toEqual({ code: 7, out: '' });
      expect(err).toMatch(/^error: You are not allowed to list PyTorchJob: .*User "ann" cannot list/);
    }
  });

  it('does not wait for objects that cannot be watched', async () => {
    const pod = {
      metadata: { name: 'mnist-worker-0', namespace: 'default', uid: 'p', labels: PYTORCH_LABELS },
      spec: { containers: [{ name: 'pytorch' }] },
    };
    const { kubeconfig } = await apiStub((request) => {
      if (request === `GET ${JOBS}/mnist`) return stubJob('mnist', { state: 'Running' });
      if (request === `DELETE ${JOBS}/mnist`) return {};
      if (request === `GET ${JOBS}`) return denied('list');
      if (request === `GET ${PODS}/mnist-worker-0/log`) return denied('get');
      if (request.endsWith('/events')) return denied('list');
      return request === `GET ${PODS}` ? listOf(pod) : undefined;
    });
    const commands = [
      ['wait', 'mnist'],
      ['logs', '-f', 'mnist'],
      ['logs', 'mnist', '--all'],
      ['events', '-f', 'mnist'],
      ['events', 'mnist'],
    ];
    const ends = await Promise.all(commands.map((args) => run(kubeconfig, ...args).ended));
    for (const [at, { code, err }] of ends.entries())
      expect({ args: commands[at], code, err }).toEqual({
        args: commands[at],
        code: 7,
        err: expect.stringMatching(/^error: .*User "ann" cannot/) as string,
      });
    expect(await run(kubeconfig, 'delete', 'mnist').ended).toEqual({
      code: 0,
      out: 'PyTorchJob default/mnist is being deleted\n',
      err: expect.stringMatching(
        /^warning: Not waiting until PyTorchJob default\/mnist is deleted: .*cannot list/,
      ) as string,
    });
  });

  it('gets a warning with the kinds that the list lacks', async () => {
    const { kubeconfig } = await apiStub((request) => {
      if (request === 'GET /apis/ray.io/v1') return { resources: [{ name: 'rayjobs', kind: 'RayJob' }] };
      if (request.includes('/rayjobs')) return denied('list');
      return request === `GET ${JOBS}` ? listOf() : undefined;
    });
    const { code, err } = await run(kubeconfig, 'list').ended;
    expect(err).toBe(
      'warning: This list is not complete: you are not allowed to list RayJob in namespace default.\nNo jobs of other kinds in namespace default.\n',
    );
    expect(code).toBe(0);
  });
});

describe('control characters from the cluster', () => {
  it('are escaped in pages, tables, objects and errors', async () => {
    const job = stubJob('mnist', FAILED);
    const { kubeconfig } = await apiStub((request) => {
      if (request === `GET ${JOBS}/mnist`) return job;
      if (request === `GET ${JOBS}`) return listOf(job);
      if (request === `GET ${JOBS}/bad`) return status(400, 'BadRequest', `${ESC}[2Jrefused\x9b1m`);
      return request.startsWith('GET /apis/events.k8s.io/v1/') || request === `GET ${PODS}` ? listOf() : undefined;
    });
    const commands = [
      ['get', 'mnist'],
      ['why', 'mnist'],
      ['list', '-o', 'wide'],
      ['get', 'mnist', '-o', 'json'],
      ['get', 'mnist', '-o', 'yaml'],
      ['get', 'bad'],
    ];
    const ends = await Promise.all(commands.map((args) => run(kubeconfig, ...args).ended));
    for (const [at, { out, err }] of ends.entries()) {
      const args = commands[at];
      expect({ args, text: (out + err).replaceAll('\n', '') }).toEqual({
        args,
        text: expect.not.stringMatching(/\p{Cc}/u) as string,
      });
      expect(out + err).toMatch(/gone|refused/);
    }
  });
});

describe('integers above 2^53', () => {
  it('keep all digits in output', async () => {
    const text = '9007199254740993';
    const raw = JSON.stringify(stubJob('mnist', {}, { big: 'BIG' })).replace('"BIG"', text);
    const { kubeconfig } = await apiStub((request, response) => {
      if (request === `GET ${JOBS}/mnist`) return (response.writeHead(200).end(raw), null);
      if (request === `GET ${JOBS}`)
        return (response.writeHead(200).end(`{"metadata":{"resourceVersion":"1"},"items":[${raw}]}`), null);
      return undefined;
    });
    for (const args of [
      ['get', 'mnist', '-o', 'yaml'],
      ['get', 'mnist', '-o', 'json'],
      ['list', '-o', 'json'],
      ['list', '-o', 'yaml'],
    ])
      expect((await run(kubeconfig, ...args).ended).out).toContain(text);
  });
});

describe('Ctrl-C', () => {
  it.each([[['list']], [['get', 'mnist']], [['delete', 'mnist']], [['suspend', 'mnist']], [['logs', 'mnist']]])(
    'ends the command %j while the server is silent, with 130',
    async (args) => {
      const arrived = Promise.withResolvers<void>();
      const { kubeconfig } = await apiStub((request) => {
        if (!request.startsWith(`GET ${JOBS}`)) return undefined;
        arrived.resolve();
        return null;
      });
      const running = run(kubeconfig, ...args);
      await arrived.promise;
      const sentMs = performance.now();
      running.child.kill('SIGINT');
      expect(await running.ended).toEqual({ code: 130, out: '', err: '\nInterrupted.\n' });
      expect(performance.now() - sentMs).toBeLessThan(20_000);
    },
  );
});

describe('Ctrl-C during a creation', () => {
  it('names the object that was perhaps created', async () => {
    const arrived = Promise.withResolvers<void>();
    const { kubeconfig } = await apiStub((request) => {
      if (request !== 'POST /api/v1/namespaces/default/configmaps') return undefined;
      arrived.resolve();
      return null;
    });
    const manifest = stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } });
    const running = muster(['submit', '-f', '-', '--kubeconfig', kubeconfig], manifest);
    await arrived.promise;
    running.child.kill('SIGINT');
    expect(await running.ended).toEqual({
      ...{ code: 130, out: '' },
      err: '\nInterrupted: created objects are kept.\nPerhaps created: configmap/settings.\n',
    });
  });
});

describe('a closed pipe', () => {
  it('does not hide the failure of a job', async () => {
    const job = stubJob('mnist', FAILED);
    const { kubeconfig } = await apiStub((request) => {
      if (request === `GET ${JOBS}/mnist`) return job;
      return request === `GET ${JOBS}` ? listOf(job) : request === `GET ${PODS}` ? listOf() : undefined;
    });
    const running = run(kubeconfig, 'wait', 'mnist');
    running.child.stdout?.destroy();
    expect(await running.closed).toBe(3);
    const silent = run(kubeconfig, 'wait', 'mnist');
    silent.child.stderr?.destroy();
    expect(await silent.closed).toBe(3);
  });

  it('is no error of a command that only prints', async () => {
    const { kubeconfig } = await apiStub((request) => (request === `GET ${JOBS}` ? listOf(stubJob('a')) : undefined));
    const running = run(kubeconfig, 'list');
    running.child.stdout?.destroy();
    expect(await running.closed).toBe(0);
  });

  it('does not hide the failure of a command', async () => {
    const { kubeconfig } = await apiStub((request) => (request === `GET ${JOBS}/a` ? denied('get') : undefined));
    const running = run(kubeconfig, 'get', 'a');
    running.child.stdout?.destroy();
    running.child.stderr?.destroy();
    expect(await running.closed).toBe(7);
  });
});

describe('a time limit', () => {
  it('may exceed the limit of timers in Node', async () => {
    const job = stubJob('mnist', { state: 'Running' });
    const { kubeconfig } = await apiStub((request) => {
      if (request === `GET ${JOBS}/mnist`) return job;
      if (request.startsWith('WATCH')) return null;
      return request === `GET ${JOBS}` ? listOf(job) : request === `GET ${PODS}` ? listOf() : undefined;
    });
    const running = run(kubeconfig, 'wait', 'mnist', '--timeout', '600h');
    await running.printed('Running');
    running.child.kill('SIGINT');
    expect(await running.ended).toMatchObject({ code: 130 });
  });
});

describe('options', () => {
  it('--as, --as-group and --as-uid are sent with each request, and repeated in hints', async () => {
    const job = stubJob('mnist', { state: 'Succeeded', conditions: [] });
    const { kubeconfig, requests } = await apiStub((request) => {
      if (request === `GET ${JOBS}/mnist`) return job;
      return request.startsWith('GET /apis/events.k8s.io/v1/') || request === `GET ${PODS}` ? listOf() : undefined;
    });
    const as = ['--as', 'ann smith', '--as-group', 'dev', '--as-group', 'ops', '--as-uid', '7'];
    const { out, code } = await run(kubeconfig, 'why', 'mnist', ...as).ended;
    expect(code).toBe(0);
    expect(requests.length).toBeGreaterThan(2);
    for (const { headers } of requests)
      expect(headers).toMatchObject({
        'impersonate-user': 'ann smith',
        'impersonate-group': 'dev, ops',
        'impersonate-uid': '7',
      });
    expect(out).toContain(`--kubeconfig ${kubeconfig} --as 'ann smith' --as-group dev --as-group ops --as-uid 7`);
  });

  it('--state refuses an unknown state, and lists the states', async () => {
    const { kubeconfig } = await apiStub((request) => (request === `GET ${JOBS}` ? listOf() : undefined));
    expect(await run(kubeconfig, 'list', '--state', 'Runing').ended).toEqual({
      code: 2,
      out: '',
      err: 'error: "Runing" is not a state of a job: use one of Created, Running, Restarting, Suspended, Succeeded, Failed, -.\n',
    });
    expect(await run(kubeconfig, 'list', '--state', 'running, failed').ended).toMatchObject({ code: 0 });
  });

  it('-n that contradicts a manifest is an error of submit and plan', async () => {
    const { kubeconfig, requests } = await apiStub(() => undefined);
    const manifest = stringify({ ...stubJob('mnist'), metadata: { name: 'mnist', namespace: 'team' } });
    const message = 'document 1: PyTorchJob mnist is in namespace team, but -n is lab: leave out -n, or use -n team.';
    for (const args of [['submit', '--kubeconfig', kubeconfig], ['plan']]) {
      const { code, err } = await muster([...args, '-f', '-', '-n', 'lab', '--validate', 'ignore'], manifest).ended;
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string });
    }
    expect(requests.filter(({ line }) => line.startsWith('POST'))).toEqual([]);
  });
});

describe('delete', () => {
  it('of two jobs reports a failure at once, and ends when the other job is gone', async () => {
    const watched = Promise.withResolvers<ServerResponse>();
    const { kubeconfig } = await apiStub((request, response) => {
      if (request === `GET ${JOBS}/a`) return stubJob('a');
      if (request === `GET ${JOBS}/b`) return stubJob('b');
      if (request === `DELETE ${JOBS}/a`) return {};
      if (request === `DELETE ${JOBS}/b`) return denied('delete');
      if (request === `GET ${JOBS}`) return listOf(stubJob('a'));
      if (request === `WATCH ${JOBS}`) watched.resolve(response);
      if (request.startsWith('WATCH')) return null;
      return request === `GET ${PODS}` ? listOf() : undefined;
    });
    const running = run(kubeconfig, 'delete', 'a', 'b');
    await running.printed('cannot delete');
    const response = await watched.promise;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(`${JSON.stringify({ type: 'DELETED', object: stubJob('a') })}\n`);
    const { code, out, err } = await running.ended;
    expect({ code, out }).toEqual({ code: 7, out: 'PyTorchJob default/a deleted\n' });
    expect(err).toMatch(/^error: PyTorchJob default\/b: .*cannot delete[^\n]*\n$/);
  });

  it('of two jobs deletes the existing one, and ends with the error about the other', async () => {
    const { kubeconfig, requests } = await apiStub((request) => {
      if (request === `GET ${JOBS}/a`) return stubJob('a');
      return request === `DELETE ${JOBS}/a` ? {} : undefined;
    });
    const { code, out, err } = await run(kubeconfig, 'delete', 'a', 'typo', '--wait', 'false').ended;
    expect({ code, out }).toEqual({ code: 5, out: 'PyTorchJob default/a is being deleted\n' });
    expect(err).toMatch(/^error: There is no job typo in namespace default[^\n]*\n$/);
    const wrong = await run(kubeconfig, 'delete', 'a', 'pod/typo').ended;
    expect(wrong).toMatchObject({ code: 2, out: '' });
    expect(requests.filter(({ line }) => line.startsWith('DELETE'))).toHaveLength(1);
  });

  it('waits without permission to list pods', async () => {
    const { kubeconfig } = await apiStub((request) => {
      if (request === `GET ${JOBS}/a`) return stubJob('a');
      if (request === `DELETE ${JOBS}/a`) return {};
      if (request.startsWith(`GET ${PODS}`)) return denied('list');
      return request === `GET ${JOBS}` ? listOf() : undefined;
    });
    expect(await run(kubeconfig, 'delete', 'a').ended).toEqual({
      ...{ code: 0, out: 'PyTorchJob default/a deleted\n', err: '' },
    });
  });
});
