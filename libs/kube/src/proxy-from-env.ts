/** The proxy by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, with the rules of Go's net/http, which kubectl uses. */
import { BlockList, isIP } from 'node:net';

/** Undefined: connect directly. @param server URL of the API server */
export function proxyFromEnv(server: string, env: NodeJS.ProcessEnv): string | undefined {
  const { protocol, hostname, port } = new URL(server);
  const isHttps = protocol === 'https:';
  const proxy = isHttps ? env.HTTPS_PROXY || env.https_proxy : env.HTTP_PROXY || env.http_proxy;
  if (!proxy) return undefined;
  const target = { host: bare(hostname), port: port || (isHttps ? '443' : '80') };
  return isExempt(target, env.NO_PROXY || env.no_proxy || '') ? undefined : proxy;
}

interface Target {
  /** In lower case, IPv6 without brackets. */
  readonly host: string;
  readonly port: string;
}

function bare(hostname: string): string {
  return hostname
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
    .replace(/[.]$/, '');
}

function isExempt(target: Target, noProxy: string): boolean {
  if (target.host === 'localhost' || isLoopback(target.host)) return true;
  return noProxy.split(',').some((entry) => exempts(entry.trim().toLowerCase(), target));
}

function isLoopback(host: string): boolean {
  return isWithin(host, '127.0.0.0', 8) || isWithin(host, '::1', 128);
}

function exempts(entry: string, { host, port }: Target): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  const [, network = '', bits = ''] = /^([0-9a-f.:]+)\/(\d+)$/.exec(entry) ?? [];
  if (network !== '') return isWithin(host, network, Number(bits));
  if (isIP(bare(entry)) !== 0) return isWithin(host, bare(entry), isIP(bare(entry)) === 4 ? 32 : 128);
  const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (entryPort !== undefined && entryPort !== port) return false;
  if (isIP(bare(name)) !== 0) return bare(name) === host;
  // `.example.com` and `*.example.com` match subdomains; `example.com` matches itself as well.
  const domain = name.replace(/^[*]?[.]/, '');
  return host.endsWith(`.${domain}`) || (domain === name && host === domain);
}

function isWithin(host: string, network: string, bits: number): boolean {
  const family = isIP(host);
  if (family === 0 || family !== isIP(network) || bits > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}
