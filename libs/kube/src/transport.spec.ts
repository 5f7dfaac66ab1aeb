import { getEventListeners, once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterAccess } from './cluster-access.ts';
import { createConnector } from './transport.ts';

/** Accepts connections and sends nothing, so that a handshake of TLS does not end. */
const server = createServer();
let port: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = String((server.address() as AddressInfo).port);
});
afterAll(() => void server.close());

const access: ClusterAccess = {
  server: 'http://127.0.0.1',
  namespace: 'default',
  headers: () => Promise.resolve({}),
  tls: () => Promise.resolve({}),
  refresh: () => undefined,
};

describe('connections to the API server', () => {
  it('leave no listener at the signal of the client, so that closed sockets are not kept', async () => {
    const closing = new AbortController();
    const connect = createConnector(access, closing.signal);
    for (let connection = 0; connection < 3; connection++) {
      const { promise, resolve, reject } = Promise.withResolvers<Socket>();
      connect({ protocol: 'http:', hostname: '127.0.0.1', port }, (error, socket) =>
        error === null ? resolve(socket) : reject(error),
      );
      const socket = await promise;
      socket.destroy();
      await once(socket, 'close');
      expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
    }
  });

  it('end when the client closes, also before they are established', async () => {
    const closing = new AbortController();
    const connect = createConnector(access, closing.signal);
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    connect({ protocol: 'https:', hostname: '127.0.0.1', port }, (error, _socket) => resolve(error));
    const [socket] = await accepted;
    // The data of the handshake has to be read, or the end of the connection is not seen.
    socket.on('error', () => undefined).resume();
    closing.abort();
    expect(await promise).toMatchObject({ name: 'AbortError' });
    await once(socket, 'close');
    expect(getEventListeners(closing.signal, 'abort')).toEqual([]);
  });

  it('are not opened after the client has closed', async () => {
    const connect = createConnector(access, AbortSignal.abort());
    const { promise, resolve } = Promise.withResolvers<Error | null>();
    connect({ protocol: 'http:', hostname: '127.0.0.1', port }, (error, _socket) => resolve(error));
    expect(await promise).toMatchObject({ name: 'AbortError' });
  });
});
