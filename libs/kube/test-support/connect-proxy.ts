/** An HTTP or HTTPS proxy that supports only CONNECT and records the targets. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ConnectProxy {
  readonly url: string;
  readonly connects: readonly { readonly target: string; readonly headers: IncomingHttpHeaders }[];
}

export interface ConnectProxyOptions {
  /** Status codes for the first requests, which are refused. */
  readonly refusals?: readonly number[];
  /** Makes it an HTTPS proxy named `localhost`. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Default: the requested host. */
  readonly upstreamHost?: string;
}

export async function connectProxy({
  refusals = [],
  tls,
  upstreamHost,
}: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const connects: { target: string; headers: IncomingHttpHeaders }[] = [];
  const sockets = new Set<Socket>();
  const server = tls === undefined ? createServer() : createTlsServer(tls);
  server.on('connect', ({ url = '', headers }, client: Socket, head) => {
    connects.push({ target: url, headers });
    sockets.add(client);
    client.on('error', () => client.destroy());
    const refusal = refusals[connects.length - 1];
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port || 80), upstreamHost ?? hostname, () => {
      client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      if (head.length > 0) upstream.write(head);
      client.pipe(upstream).pipe(client);
    });
    upstream.on('error', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: tls === undefined ? `http://127.0.0.1:${port}` : `https://localhost:${port}`, connects };
}
