/** Sends requests to Services and pods: directly if this process is in the cluster's network, otherwise through the API server's proxy. */
import type { Clock } from '@muster/controller';
import { SECRETS } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { Answer, PodUrl, Probe, SecretToken, ServiceUrl } from './probe.ts';
import type { SendProbe } from './probe-poller.ts';
import { sendHttpProbe, LARGEST_BODY, parsedBody } from './http-probe.ts';

export type ServiceAccess = 'Direct' | 'Proxy';

interface Access {
  readonly client: Pick<KubeClient, 'get' | 'proxied'>;
  readonly clock: Clock;
  readonly services: ServiceAccess;
  readonly clusterDomain: string;
}

const TOKEN_LIFE_MS = 60_000;
const REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** The returned function rejects with a sentence about the cause if the target does not answer. */
export function clusterProbe(access: Access): SendProbe {
  const tokens = new Tokens(access);
  return async (probe, signal) => {
    const { token } = probe;
    const headers = {
      ...probe.headers,
      ...(token && { [token.header]: `Bearer ${await tokens.read(token, signal)}` }),
    };
    const answer = await send(access, { ...probe, headers }, signal);
    if (token !== undefined && REFUSED.has(answer.status)) tokens.forget(token);
    return answer;
  };
}

function send(access: Access, probe: Probe, signal: AbortSignal): Promise<Answer> {
  const { url } = probe;
  if (typeof url === 'string') return sendHttpProbe({ ...probe, url }, signal);
  if (access.services === 'Proxy') return throughApiServer(access, probe, url, signal);
  return sendHttpProbe({ ...probe, url: `http://${hostOf(url, access)}:${url.port}${url.path}` }, signal);
}

function hostOf(url: ServiceUrl | PodUrl, { clusterDomain }: Pick<Access, 'clusterDomain'>): string {
  if ('service' in url) return `${url.service}.${url.namespace}.svc.${clusterDomain}`;
  return url.address.includes(':') ? `[${url.address}]` : url.address;
}

async function throughApiServer(
  { client }: Access,
  { method = 'GET', body, headers, timeoutMs, largestBody = LARGEST_BODY }: Probe,
  url: ServiceUrl | PodUrl,
  signal: AbortSignal,
): Promise<Answer> {
  const { namespace, port, path } = url;
  const [kind, plural, name] = 'service' in url ? ['Service', 'services', url.service] : ['Pod', 'pods', url.pod];
  const who = `${kind} ${name}:${port} through the API server`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await client
    .proxied({
      ...{ method, path: `/api/v1/namespaces/${namespace}/${plural}/${name}:${port}/proxy${path}`, body },
      ...(headers && { headers }),
      signal: AbortSignal.any([signal, timeout]),
    })
    .catch((error: unknown) => {
      const why =
        timeout.aborted && !signal.aborted ? `it did not respond within ${timeoutMs / 1000} s` : String(error);
      throw new Error(`request to ${who} failed: ${why}`, { cause: error });
    });
  if (answer.text.length > largestBody)
    throw new Error(`request to ${who} failed: the response exceeds ${largestBody} bytes`);
  const parsed = parsedBody(answer.text);
  const {
    kind: bodyKind,
    apiVersion,
    message,
  } = Object(parsed) as { kind?: unknown; apiVersion?: unknown; message?: unknown };
  // The API server answered itself: the target was not reached.
  if (bodyKind === 'Status' && apiVersion === 'v1') throw new Error(`request to ${who} failed: ${String(message)}`);
  return { status: answer.code, body: parsed };
}

class Tokens {
  #access: Access;
  #known = new Map<string, { readonly token: string; readonly readMs: number }>();

  constructor(access: Access) {
    this.#access = access;
  }

  async read(wanted: SecretToken, signal: AbortSignal): Promise<string> {
    const { client, clock } = this.#access;
    const { namespace, secret: name, key } = wanted;
    const known = this.#known.get(keyOf(wanted));
    if (known !== undefined && clock.monotonic() - known.readMs < TOKEN_LIFE_MS) return known.token;
    const { data } = await client.get(SECRETS, { namespace, name }, { signal });
    const value = data?.[key];
    if (value === undefined)
      throw new Error(`Secret ${name} has no key ${key}, which must contain the token for requests`);
    const token = Buffer.from(value, 'base64').toString('utf8').trim();
    if (this.#known.size > 10_000) this.#known.clear();
    this.#known.set(keyOf(wanted), { token, readMs: clock.monotonic() });
    return token;
  }

  forget(token: SecretToken): void {
    this.#known.delete(keyOf(token));
  }
}

function keyOf({ namespace, secret, key }: SecretToken): string {
  return `${namespace}/${secret}/${key}`;
}
