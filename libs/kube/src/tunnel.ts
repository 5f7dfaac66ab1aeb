import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, isIPv6, type Socket } from 'node:net';

/** Error code of a proxy that failed before anything was sent through it. Such a request may be repeated. */
export const PROXY_NOT_CONNECTED = 'PROXY_NOT_CONNECTED';

export interface TunnelEnd {
  readonly host: string;
  readonly port: number;
}

/** Without a scheme it is an HTTP proxy. Undefined: not the URL of a supported proxy. */
export function parseProxyUrl(proxy: string): URL | undefined {
  const url = URL.parse(/^[a-z0-9+.-]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
  return url !== null && PROTOCOLS.includes(url.protocol) && url.hostname !== '' ? url : undefined;
}

const PROTOCOLS: readonly string[] = ['http:', 'https:', 'socks5:', 'socks5h:'];

/** The proxy without its name and password, for messages. */
export function proxyTitle({ protocol, host }: URL): string {
  return `${protocol}//${host}`;
}

/** @param signal closes the connection, also later */
export async function openTunnel(
  proxy: URL,
  end: TunnelEnd,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = proxy.protocol.startsWith('socks')
    ? await throughSocks(proxy, end, timeoutMs)
    : await throughHttp(proxy, end, timeoutMs, signal);
  const close = () => socket.destroy();
  signal.addEventListener('abort', close, { once: true });
  socket.once('close', () => signal.removeEventListener('abort', close));
  if (signal.aborted) close();
  return socket;
}

function throughHttp(proxy: URL, end: TunnelEnd, timeoutMs: number, signal: AbortSignal): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const name = proxyTitle(proxy);
  const path = `${isIPv6(end.host) ? `[${end.host}]` : end.host}:${end.port}`;
  const send = proxy.protocol === 'https:' ? httpsRequest : httpRequest;
  const host = bareHost(proxy);
  const request = send({
    method: 'CONNECT',
    host,
    // By default Node uses the Host header, which is the target of CONNECT.
    ...(proxy.protocol === 'https:' && { servername: isIP(host) === 0 ? host : '' }),
    ...(proxy.port !== '' && { port: proxy.port }),
    path,
    headers: { host: path, ...authorization(proxy) },
    agent: false,
    timeout: timeoutMs,
    signal,
  });
  request.once('connect', ({ statusCode }, socket, head) => {
    if (statusCode === 200) {
      socket.setTimeout(0);
      if (head.length > 0) socket.unshift(head);
      return resolve(socket);
    }
    socket.destroy();
    const refusal = new Error(`the proxy ${name} refuses to connect to ${path}: status ${statusCode}`);
    reject(Object.assign(refusal, statusCode !== undefined && statusCode >= 500 && { code: PROXY_NOT_CONNECTED }));
  });
  // No valid answer to CONNECT raises this event: the server is not a proxy.
  request.once('response', ({ statusCode }) => {
    request.destroy();
    reject(new Error(`${name} is not a proxy: it answered CONNECT with status ${statusCode}`));
  });
  request.once('timeout', () => {
    const late = new Error(`no answer within ${timeoutMs / 1000} s`);
    request.destroy(Object.assign(late, { code: PROXY_NOT_CONNECTED }));
  });
  request.once('error', (cause: Error) => reject(unusable(proxy, cause)));
  request.end();
  return promise;
}

/** An error without a code is not retried. */
function unusable(proxy: URL, cause: NodeJS.ErrnoException): Error {
  const error = new Error(`the proxy ${proxyTitle(proxy)} cannot be used: ${cause.message}`, { cause });
  const code = CUT_OFF.includes(cause.code) ? PROXY_NOT_CONNECTED : cause.code;
  return Object.assign(error, code !== undefined && { code });
}

/** A connection that is lost before the tunnel is open has carried no request. */
const CUT_OFF: readonly (string | undefined)[] = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'];

/** Errors of the library have no code. These are permanent. */
const SOCKS_REFUSAL = /Authentication failed|Received invalid|NotAllowed|NotSupported/;

async function throughSocks(proxy: URL, end: TunnelEnd, timeoutMs: number): Promise<Socket> {
  const { SocksClient } = await import('./socks-client.ts');
  const { username, password } = proxy;
  try {
    const { socket } = await SocksClient.createConnection({
      proxy: {
        host: bareHost(proxy),
        port: Number(proxy.port || '1080'),
        type: 5,
        ...(username !== '' && { userId: decodeURIComponent(username), password: decodeURIComponent(password) }),
      },
      command: 'connect',
      destination: { host: end.host, port: end.port },
      timeout: timeoutMs,
    });
    return socket;
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === undefined && !SOCKS_REFUSAL.test(cause.message)) cause.code = PROXY_NOT_CONNECTED;
    throw unusable(proxy, cause);
  }
}

function bareHost({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

function authorization({ username, password }: URL): { 'proxy-authorization'?: string } {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}
