import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DashboardsError } from './dashboards-error.ts';

export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Closes open connections. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * Serves on the loopback address. Requests with another host name are rejected, to prevent DNS rebinding by websites. Throws a
 * `DashboardsError` if the port is in use.
 *
 * @param port 0: any free port
 */
export async function listen(port: number, answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    const host = /^(?:\[::1\]|[^:]*)/.exec(request.headers.host ?? '')?.[0] ?? '';
    if ([LOOPBACK, 'localhost'].includes(host)) return answer(request, response);
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`Use the address ${LOOPBACK} or localhost.\n`);
  });
  server.listen(port, LOOPBACK);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    const why = error.code === 'EACCES' ? 'needs root' : 'is in use';
    throw new DashboardsError(`Port ${port} ${why}: choose another with --port, or omit --port to use any free port.`);
  });
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
