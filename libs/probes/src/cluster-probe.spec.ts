import type { ProxiedRequest } from '@muster/kube';
import { describe, expect, it } from 'vitest';
import { clusterProbe } from './cluster-probe.ts';
import type { Probe } from './probe.ts';

const PROBE: Probe = {
  name: 'job',
  url: { namespace: 'team', service: 'head', port: 8265, path: '/api/jobs/a' },
  token: { header: 'x-ray-authorization', namespace: 'team', secret: 'ray', key: 'auth_token' },
  timeoutMs: 1000,
  everyMs: 1000,
};

function sender(answers: readonly { code: number; text: string }[]) {
  const sent: ProxiedRequest[] = [];
  let [reads, nowMs] = [0, 0];
  const client = {
    get: () => {
      reads += 1;
      return Promise.resolve({ data: { auth_token: Buffer.from(`token ${reads}\n`).toString('base64') } } as never);
    },
    proxied: (request: ProxiedRequest) => {
      sent.push(request);
      return Promise.resolve(answers[sent.length - 1] ?? { code: 200, text: '{}' });
    },
  };
  const clock = { monotonic: () => nowMs } as never;
  const send = clusterProbe({ client, clock, services: 'Proxy', clusterDomain: 'cluster.local' });
  return {
    sent,
    send: () => send(PROBE, new AbortController().signal),
    pass: (ms: number) => (nowMs += ms),
    tokens: () => sent.map(({ headers }) => headers?.['x-ray-authorization']),
  };
}

describe('clusterProbe', () => {
  it("sends requests to a Service through the API server, with the Secret's token", async () => {
    const { send, sent, tokens } = sender([{ code: 200, text: '{"status":"RUNNING"}' }]);
    expect(await send()).toEqual({ status: 200, body: { status: 'RUNNING' } });
    expect(sent[0]?.path).toBe('/api/v1/namespaces/team/services/head:8265/proxy/api/jobs/a');
    expect(tokens()).toEqual(['Bearer token 1']);
  });

  it('sends requests to a pod through the API server, and rejects an answer over the limit', async () => {
    const sent: ProxiedRequest[] = [];
    const client = {
      get: () => Promise.reject(new Error('nothing is read')),
      proxied: (request: ProxiedRequest) => {
        sent.push(request);
        return Promise.resolve({ code: 200, text: '{"step":1}' });
      },
    };
    const send = clusterProbe({ client, clock: {} as never, services: 'Proxy', clusterDomain: 'cluster.local' });
    const url = { namespace: 'team', pod: 'worker-0', address: '10.0.0.1', port: 9000, path: '/progress' };
    const probe = { name: 'progress', url, timeoutMs: 1000, everyMs: 1000 };
    const { signal } = new AbortController();
    expect(await send(probe, signal)).toEqual({ status: 200, body: { step: 1 } });
    expect(sent[0]?.path).toBe('/api/v1/namespaces/team/pods/worker-0:9000/proxy/progress');
    await expect(send({ ...probe, largestBody: 5 }, signal)).rejects.toThrow('request to Pod worker-0:9000 ');
  });

  it("returns the program's answer, also an error status", async () => {
    const { send } = sender([{ code: 404, text: 'Job a does not exist' }]);
    expect(await send()).toEqual({ status: 404, body: 'Job a does not exist' });
  });

  it('does not take a Status of the API server for an answer', async () => {
    const text = JSON.stringify({ kind: 'Status', apiVersion: 'v1', message: 'no endpoints available' });
    await expect(sender([{ code: 503, text }]).send()).rejects.toThrow(
      'request to Service head:8265 through the API server failed: no endpoints available',
    );
  });

  it('reads the token again after a minute, and after it was refused', async () => {
    const { send, pass, tokens } = sender([
      { code: 200, text: '' },
      { code: 200, text: '' },
      { code: 200, text: '' },
      { code: 403, text: '' },
    ]);
    await send();
    await send();
    pass(60_000);
    await send();
    await send();
    await send();
    expect(tokens()).toEqual([1, 1, 2, 2, 3].map((read) => `Bearer token ${read}`));
  });
});
