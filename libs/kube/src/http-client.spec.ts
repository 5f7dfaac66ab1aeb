import { type AddressInfo, createServer, type Socket } from 'node:net';
import { PODS, type Pod } from '@muster/job-api';
import { Registry } from 'prom-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { accessTo, type Answer, cut, json, scriptedServer, status } from '../test-support/scripted-server.ts';
import type { ClusterClient } from './client.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { createKubeClient, type KubeClientOptions } from './http-client.ts';
import { KubeError } from './kube-error.ts';

const KEY = { namespace: 'ns', name: 'p' };
const POD: Pod = { metadata: { ...KEY } };
const OLD_POD: Pod = { metadata: { ...KEY, resourceVersion: '7' } };

const ok = json(200, POD);
const busy = status(429, 'TooManyRequests', 'too many requests', { 'retry-after': '0' });
const broken = status(500, 'InternalError', 'etcd is away');

function clientOf(access: ClusterAccess, options: Partial<KubeClientOptions> = {}): ClusterClient {
  const client = createKubeClient(access, { userAgent: 'spec/1', ...options });
  onTestFinished(() => client.close());
  return client;
}

async function errorOf(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    (value) => expect.fail(`did not fail but returned ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof KubeError)) throw error;
  return error;
}

/** The request is accepted and never answered. */
const silence: Answer = () => undefined;

const repeated: [string, (client: ClusterClient) => Promise<unknown>][] = [
  ['get', (client) => client.get(PODS, KEY)],
  ['list', (client) => client.list(PODS)],
  ['apply', (client) => client.apply(PODS, POD)],
  ['delete', (client) => client.delete(PODS, KEY)],
  ['replace with a resourceVersion', (client) => client.replace(PODS, OLD_POD)],
];
const notRepeated: [string, (client: ClusterClient) => Promise<unknown>][] = [
  ['create', (client) => client.create(PODS, POD)],
  ['patch', (client) => client.patch(PODS, KEY, {})],
  ['patchStatus', (client) => client.patchStatus(PODS, KEY, {})],
  ['replace without a resourceVersion', (client) => client.replace(PODS, POD)],
];

describe('retries', () => {
  it.each(repeated)('repeat %s after a 500 and after a lost answer', async (_verb, request) => {
    const server = await scriptedServer(broken, cut, ok);
    await request(clientOf(server.access));
    expect(server.requests).toHaveLength(3);
  });

  it.each(notRepeated)('do not repeat %s if the server may have acted', async (_verb, request) => {
    const failing = await scriptedServer(broken);
    expect(await errorOf(request(clientOf(failing.access)))).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(failing.requests).toHaveLength(1);

    const cutting = await scriptedServer(cut);
    expect(await errorOf(request(clientOf(cutting.access)))).toMatchObject({ code: 0, reason: 'Unreachable' });
    expect(cutting.requests).toHaveLength(1);
  });

  it.each([...repeated, ...notRepeated])('repeat %s after a 429', async (_verb, request) => {
    const server = await scriptedServer(busy, busy, ok);
    await request(clientOf(server.access));
    expect(server.requests).toHaveLength(3);
  });

  it('end after some tries, with the last error', async () => {
    const server = await scriptedServer(busy);
    expect(await errorOf(clientOf(server.access).create(PODS, POD))).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      retryAfterSeconds: 0,
      message: 'create pods "ns/p": too many requests',
    });
    expect(server.requests).toHaveLength(6);
  });

  it('are not made if the server asks for a pause of minutes', async () => {
    const server = await scriptedServer(status(429, 'TooManyRequests', 'later', { 'retry-after': '300' }));
    expect(await errorOf(clientOf(server.access).get(PODS, KEY))).toMatchObject({ retryAfterSeconds: 300 });
    expect(server.requests).toHaveLength(1);
  });

  it('stop when the caller aborts, with the reason of the abort', async () => {
    const server = await scriptedServer(status(503, 'ServiceUnavailable', 'starting', { 'retry-after': '10' }));
    const abort = new AbortController();
    const pending = clientOf(server.access).get(PODS, KEY, { signal: abort.signal });
    abort.abort(new Error('leaving'));
    await expect(pending).rejects.toThrow('leaving');
  });

  it('stop when the caller aborts while a credential plugin has not answered', async () => {
    const access = accessTo('http://127.0.0.1:1', { headers: () => new Promise(() => undefined) });
    const abort = new AbortController();
    const { signal } = abort;
    const client = clientOf(access);
    const pending = [
      client.get(PODS, KEY, { signal }),
      client.watch(PODS, { resourceVersion: '1', signal }),
      client.get(PODS, KEY, { signal: AbortSignal.abort(new Error('leaving')) }),
    ];
    abort.abort(new Error('leaving'));
    for (const each of pending) await expect(each).rejects.toThrow('leaving');
  });

  it('repeat a create if the connection was refused', async () => {
    const refusing = accessTo('http://127.0.0.1:1');
    const registry = new Registry();
    const error = await errorOf(clientOf(refusing, { registry }).create(PODS, POD));
    expect(error.message).toBe(
      'create pods "ns/p": no answer from http://127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    );
    expect(await registry.getSingleMetricAsString('rest_client_requests_total')).toContain(
      'rest_client_requests_total{code="<error>",method="POST",host="127.0.0.1:1"} 6',
    );
  });
});

describe('errors', () => {
  it('have the request and the message of the server', async () => {
    const server = await scriptedServer(status(403, 'Forbidden', 'pods "p" is forbidden: no'));
    expect(await errorOf(clientOf(server.access).create(PODS, POD))).toMatchObject({
      message: 'create pods "ns/p": pods "p" is forbidden: no',
      code: 403,
      reason: 'Forbidden',
      status: { kind: 'Status', reason: 'Forbidden' },
    });
  });

  it('quote answers that are not from an API server', async () => {
    const server = await scriptedServer((response) => response.writeHead(400).end('<html>Bad gateway</html>'));
    expect(await errorOf(clientOf(server.access).list(PODS))).toMatchObject({
      message: 'list pods: status 400: <html>Bad gateway</html>',
      reason: 'BadRequest',
    });
  });

  it('report that the address is not an API server', async () => {
    const server = await scriptedServer((response) => response.writeHead(200).end('<html>Log in</html>'));
    const error = await errorOf(clientOf(server.access).get(PODS, KEY));
    expect(error.message).toContain('the answer is not JSON: check that this is the address of an API server');
  });

  it('report that a resource is not served', async () => {
    const server = await scriptedServer((response) => response.writeHead(404).end('404 page not found\n'));
    expect(await errorOf(clientOf(server.access).list(PODS))).toMatchObject({
      message: 'list pods: the server does not serve this resource; install its CRD, or check the API version',
      reason: 'NotFound',
    });
  });

  it('do not contain the token', async () => {
    const headers = () => Promise.resolve({ authorization: 'Bearer s3cret' });
    const cutting = await scriptedServer(cut);
    const refused = await scriptedServer(status(401, 'Unauthorized', 'Unauthorized'));
    for (const { access } of [cutting, refused]) {
      const error = await errorOf(clientOf({ ...access, headers }).create(PODS, POD));
      expect([error.message, error.stack, JSON.stringify(error.cause)].join()).not.toContain('s3cret');
    }
    expect(cutting.requests[0]?.headers.authorization).toBe('Bearer s3cret');
  });
});

describe('a 401', () => {
  it('renews the credentials once and repeats the request', async () => {
    const server = await scriptedServer((response, { headers }) =>
      (headers.authorization === 'Bearer 2' ? ok : status(401, 'Unauthorized', 'Unauthorized'))(
        response,
        server.requests[0]!,
      ),
    );
    let token = 1;
    const access = {
      ...server.access,
      headers: () => Promise.resolve({ authorization: `Bearer ${token}` }),
      refresh: () => void (token = 2),
    };
    const client = clientOf(access);
    await Promise.all([client.create(PODS, POD), client.get(PODS, KEY), client.get(PODS, KEY)]);
    expect(server.requests).toHaveLength(6);
  });

  it('without a token renews the certificates and the connections', async () => {
    const server = await scriptedServer(ok, status(401, 'Unauthorized', 'Unauthorized'), ok);
    let refreshed = 0;
    const client = clientOf({ ...server.access, refresh: () => void refreshed++ }, { connections: 1 });
    await client.get(PODS, KEY);
    await client.get(PODS, KEY);
    expect(refreshed).toBe(1);
    const [first, refused, renewed] = server.requests.map(({ connection }) => connection);
    expect(refused).toBe(first);
    expect(renewed).not.toBe(first);
  });

  it('that persists is the error', async () => {
    const server = await scriptedServer(status(401, 'Unauthorized', 'Unauthorized'));
    expect(await errorOf(clientOf(server.access).get(PODS, KEY))).toMatchObject({ code: 401, reason: 'Unauthorized' });
    expect(server.requests).toHaveLength(2);
  });
});

describe('limits', () => {
  it('end a request without an answer', async () => {
    const server = await scriptedServer(silence);
    const error = await errorOf(clientOf(server.access, { requestTimeoutMs: 50 }).create(PODS, POD));
    expect(error).toMatchObject({ reason: 'Unreachable', code: 0 });
    expect(error.message).toContain('Headers Timeout Error');
  });

  it('end a request whose answer stops in the middle', async () => {
    const server = await scriptedServer((response) => response.writeHead(200).write('{"kind":'));
    const error = await errorOf(clientOf(server.access, { requestTimeoutMs: 50 }).create(PODS, POD));
    expect(error.message).toContain('Body Timeout Error');
  });

  it('bound the number of connections, and an abort ends the wait for one', async () => {
    const server = await scriptedServer(silence);
    const client = clientOf(server.access, { connections: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const pending = [first, second].map(({ signal }) => client.get(PODS, KEY, { signal }));
    second.abort(new Error('second'));
    await expect(pending[1]).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(pending[0]).rejects.toThrow('first');
    expect(server.requests.length).toBeLessThanOrEqual(1);
  });
});

describe('close', () => {
  it('does not wait for unused connections that are still connecting', async () => {
    // Accepts connections and sends nothing: a handshake that never ends, as on a cut network.
    const sockets = new Set<Socket>();
    const mute = createServer((socket) => sockets.add(socket.resume()));
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    // Resolves only if no connection is left.
    onTestFinished(() => new Promise<void>((resolve) => mute.close(() => resolve())));
    const client = createKubeClient(accessTo(`https://127.0.0.1:${(mute.address() as AddressInfo).port}`), {
      userAgent: 'spec/1',
    });
    const aborting = new AbortController();
    const pending = client.raw('/version', { signal: aborting.signal });
    await expect.poll(() => sockets.size).toBe(1);
    aborting.abort(new Error('enough'));
    await expect(pending).rejects.toThrow('enough');
    await client.close();
  });

  it('waits for a running request', async () => {
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<() => void>();
    const server = await scriptedServer((response, request) => arrive(() => ok(response, request)));
    const client = createKubeClient(server.access, { userAgent: 'spec/1' });
    const pending = client.get(PODS, KEY);
    const answer = await arrived;
    const closed = client.close();
    answer();
    expect(await pending).toMatchObject(POD);
    await closed;
  });
});

describe('the wire', () => {
  it('carries text unchanged', async () => {
    const server = await scriptedServer((response) => response.writeHead(200).end('epoch 1\nepoch 2\n'));
    expect(await clientOf(server.access).text('/api/v1/namespaces/ns/pods/p/log')).toBe('epoch 1\nepoch 2\n');
    expect(server.requests[0]).toMatchObject({ headers: { accept: '*/*' } });
  });

  it('streams followed text and requests it once', async () => {
    let end = () => {};
    const server = await scriptedServer((response) => {
      response.writeHead(200).write('epoch 1\n');
      end = () => response.destroy();
    });
    const stream = await clientOf(server.access).textStream('/api/v1/namespaces/ns/pods/p/log?follow=true');
    const first = (await stream.next()) as IteratorYieldResult<Buffer>;
    expect(first.value.toString()).toBe('epoch 1\n');
    end();
    expect(await errorOf(stream.next())).toMatchObject({ code: 0, reason: 'Unreachable' });
    expect(server.requests).toHaveLength(1);
    expect(server.requests[0]).toMatchObject({ headers: { accept: '*/*' } });
  });

  it('carries the reason why followed text is refused', async () => {
    const server = await scriptedServer(status(400, 'BadRequest', 'container is waiting to start'));
    const pending = clientOf(server.access).textStream('/api/v1/namespaces/ns/pods/p/log');
    expect(await errorOf(pending)).toMatchObject({
      code: 400,
      message: 'get /api/v1/namespaces/ns/pods/p/log: container is waiting to start',
    });
  });

  it("carries the server's path prefix, the user agent, the field manager and dry runs", async () => {
    const server = await scriptedServer(ok);
    const client = clientOf({ ...server.access, server: `${server.access.server}/k8s/clusters/c1` });
    await client.create(PODS, { metadata: { ...KEY } }, { dryRun: true, fieldValidation: 'Strict' });
    expect(server.requests[0]).toMatchObject({
      method: 'POST',
      url: '/k8s/clusters/c1/api/v1/namespaces/ns/pods?fieldManager=spec&dryRun=All&fieldValidation=Strict',
      headers: { 'user-agent': 'spec/1', 'content-type': 'application/json' },
    });
    expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({ apiVersion: 'v1', kind: 'Pod', metadata: KEY });
  });

  it('carries the options of a delete', async () => {
    const server = await scriptedServer(ok);
    const client = clientOf(server.access);
    await client.delete(PODS, KEY);
    await client.delete(PODS, KEY, { uid: 'u', gracePeriodSeconds: 0, propagationPolicy: 'Foreground', dryRun: true });
    const basics = { kind: 'DeleteOptions', apiVersion: 'v1' };
    expect(server.requests.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      basics,
      {
        ...basics,
        preconditions: { uid: 'u' },
        gracePeriodSeconds: 0,
        propagationPolicy: 'Foreground',
        dryRun: ['All'],
      },
    ]);
  });

  it('carries each kind of patch with its content type', async () => {
    const server = await scriptedServer(ok);
    const client = clientOf(server.access);
    await client.patch(PODS, KEY, {});
    await client.patch(PODS, KEY, [], { type: 'json' });
    await client.patch(PODS, KEY, {}, { type: 'strategic', subresource: 'scale', fieldManager: 'me' });
    await client.apply(PODS, POD, { force: true });
    expect(server.requests.map(({ url, headers }) => `${url} ${headers['content-type']}`)).toEqual([
      '/api/v1/namespaces/ns/pods/p?fieldManager=spec application/merge-patch+json',
      '/api/v1/namespaces/ns/pods/p?fieldManager=spec application/json-patch+json',
      '/api/v1/namespaces/ns/pods/p/scale?fieldManager=me application/strategic-merge-patch+json',
      '/api/v1/namespaces/ns/pods/p?fieldManager=spec&force=true application/apply-patch+yaml',
    ]);
  });
});

describe('a connection', () => {
  it.each([...repeated, ...notRepeated])('is usable again after %s', async (_verb, request) => {
    const server = await scriptedServer(ok);
    const client = clientOf(server.access, { connections: 1 });
    await request(client);
    await client.get(PODS, KEY);
    const [first, second] = server.requests.map(({ connection }) => connection);
    expect(second).toBe(first);
  });
});

describe('a list', () => {
  const page = (name: string, next?: string): Answer =>
    json(200, { kind: 'PodList', metadata: { resourceVersion: '5', continue: next }, items: [{ metadata: { name } }] });

  it('restarts when its pages expire', async () => {
    const expired = status(410, 'Expired', 'The provided continue parameter is too old');
    const server = await scriptedServer(page('a', 'x'), expired, page('b', 'y'), page('c'));
    const { items, resourceVersion } = await clientOf(server.access).list(PODS);
    expect(items).toEqual(['b', 'c'].map((name) => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name } })));
    expect(resourceVersion).toBe('5');
    expect(server.requests.map(({ url }) => new URL(url, 'http://x').searchParams.get('continue'))).toEqual([
      null,
      'x',
      null,
      'y',
    ]);
  });

  it('may be empty', async () => {
    const server = await scriptedServer(
      json(200, { kind: 'PodList', metadata: { resourceVersion: '5' }, items: null }),
    );
    expect(await clientOf(server.access).list(PODS)).toEqual({ items: [], resourceVersion: '5' });
  });
});

describe('metrics', () => {
  it('count each try by code, method and host; clients share a registry', async () => {
    const server = await scriptedServer(busy, ok);
    const registry = new Registry();
    await clientOf(server.access, { registry }).create(PODS, POD);
    await clientOf(server.access, { registry }).get(PODS, KEY);
    const { host } = new URL(server.access.server);
    const text = await registry.metrics();
    expect(text).toContain(`rest_client_requests_total{code="429",method="POST",host="${host}"} 1`);
    expect(text).toContain(`rest_client_requests_total{code="200",method="POST",host="${host}"} 1`);
    expect(text).toContain(`rest_client_requests_total{code="200",method="GET",host="${host}"} 1`);
    expect(text).toContain(`rest_client_request_duration_seconds_count{verb="POST",host="${host}"} 2`);
  });
});

describe('answers', () => {
  it('are parsed by the function of the caller', async () => {
    const { access } = await scriptedServer(json(200, { ...POD, spec: { size: 7 } }));
    const parse = (text: string) => ({ read: text.length > 0 });
    expect(await clientOf(access).get(PODS, KEY, { parse })).toEqual({ read: true });
    expect(await clientOf(access).create(PODS, POD, { parse })).toEqual({ read: true });
  });

  const managed: Pod = { metadata: { ...KEY, labels: { a: 'b' }, managedFields: [{ manager: 'kubelet' }] } };
  const rest = { metadata: { ...KEY, labels: { a: 'b' } } };

  it.each<[string, (client: ClusterClient) => Promise<unknown>]>([
    ['read', (client) => client.get(PODS, KEY)],
    ['created', (client) => client.create(PODS, POD)],
    ['patched', (client) => client.patch(PODS, KEY, {})],
  ])('omit metadata.managedFields from an object that is %s', async (_verb, request) => {
    const { access } = await scriptedServer(json(200, managed));
    expect(await request(clientOf(access))).toEqual(rest);
  });

  it('omit metadata.managedFields from each object of a list', async () => {
    const { access } = await scriptedServer(json(200, { metadata: {}, items: [managed, POD] }));
    const { items } = await clientOf(access).list(PODS);
    expect(items.map(({ metadata }) => metadata)).toEqual([rest.metadata, KEY]);
  });

  it('keep fields named managedFields outside of metadata', async () => {
    const { access } = await scriptedServer(json(200, { ...POD, spec: { managedFields: [{ a: 1 }] } }));
    expect(await clientOf(access).get(PODS, KEY)).toEqual({ ...POD, spec: { managedFields: [{ a: 1 }] } });
  });

  it('report their warnings', async () => {
    const warning = '299 - "unknown field \\"spec.a\\"", 299 - "deprecated"';
    const { access } = await scriptedServer(json(200, POD, { warning }));
    const warnings: string[] = [];
    await clientOf(access, { onWarning: (text) => warnings.push(text) }).create(PODS, POD);
    expect(warnings).toEqual(['unknown field "spec.a"', 'deprecated']);
  });

  it('report their warnings to the caller of the request', async () => {
    const { access } = await scriptedServer(json(200, POD, { warning: '299 - "deprecated"' }));
    const client = clientOf(access);
    const warnings: string[] = [];
    const onWarning = (text: string) => warnings.push(text);
    await client.create(PODS, POD, { onWarning });
    await client.patch(PODS, KEY, {}, { onWarning });
    await client.create(PODS, POD);
    expect(warnings).toEqual(['deprecated', 'deprecated']);
  });
});
