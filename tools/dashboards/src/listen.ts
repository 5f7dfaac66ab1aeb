import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { DashboardsError } from './dashboards-error.ts';

export interface LoopbackServer {
  /** Without a slash at its end. */
  readonly url: string;
  /** Cuts what is still open. */
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

/**
 * Serves on this machine alone. A request under another host's name is refused, so that no website can have a browser read from here
 * by a name that it points at this machine. Throws a `DashboardsError` where the port is taken.
 *
 * @param port 0: any that is free
 */
export async function listen(port: number, answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    const host = /^(?:\[::1\]|[^:]*)/.exec(request.headers.host ?? '')?.[0] ?? '';
    if ([LOOPBACK, 'localhost'].includes(host)) return answer(request, response);
    response.writeHead(403, { 'content-type': 'text/plain' }).end(`Ask by the address ${LOOPBACK}, or as localhost.\n`);
  });
  server.listen(port, LOOPBACK);
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
    const why = error.code === 'EACCES' ? 'may not be used without root' : 'is taken';
    throw new DashboardsError(`Port ${port} ${why}: choose another with --port, or leave that out for any free one.`);
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
