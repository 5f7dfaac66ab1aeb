/** An HTTP proxy that supports CONNECT alone, and records the targets. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface ConnectProxy {
  readonly url: string;
  readonly asked: readonly { readonly target: string; readonly headers: IncomingHttpHeaders }[];
}

/** Closed when the test ends. @param refusal the status that it answers in place of connecting */
export async function connectProxy(refusal?: number): Promise<ConnectProxy> {
  const asked: { target: string; headers: IncomingHttpHeaders }[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on('connect', ({ url = '', headers }, client: Socket, head) => {
    asked.push({ target: url, headers });
    sockets.add(client);
    client.on('error', () => client.destroy());
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
    const { hostname, port } = new URL(`http://${url}`);
    const upstream = connect(Number(port || 80), hostname, () => {
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
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
