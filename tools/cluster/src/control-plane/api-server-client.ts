/**
 * The few requests that starting a cluster needs, as its administrator, with the server's identity verified. It has no watches and no
 * retries.
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import { parse } from 'yaml';
import { ClusterError } from '../cluster-error.ts';

interface AdminKubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

export interface ApiServerAnswer {
  status: number;
  text: string;
}

export class ApiServerClient {
  readonly server: string;
  readonly #agent: Agent;

  /** Reads a kubeconfig written by `writeKubeconfig`. */
  constructor(kubeconfig: string) {
    const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as AdminKubeconfig;
    const decode = (base64: string) => Buffer.from(base64, 'base64').toString();
    this.server = clusters[0].cluster.server;
    this.#agent = new Agent({
      connect: {
        ca: decode(clusters[0].cluster['certificate-authority-data']),
        cert: decode(users[0].user['client-certificate-data']),
        key: decode(users[0].user['client-key-data']),
      },
      connectTimeout: 3000,
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
  }

  /** GETs a path; throws only if there is no response. */
  async get(path: string): Promise<ApiServerAnswer> {
    const response = await request(this.server + path, { dispatcher: this.#agent });
    return { status: response.statusCode, text: await response.body.text() };
  }

  /** Whether the server reports that it is ready. */
  async isReady(): Promise<boolean> {
    try {
      return (await this.get('/readyz')).status === 200;
    } catch {
      // It does not listen, or not yet: no response means not ready.
      return false;
    }
  }

  /** Creates an object under a collection's path; an existing one is kept. */
  async create(collection: string, object: object): Promise<void> {
    const response = await request(this.server + collection, {
      method: 'POST',
      dispatcher: this.#agent,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(object),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300 && response.statusCode !== 409) {
      throw new ClusterError(
        `The API server rejected an object that the cluster needs at ${collection} (${response.statusCode}): ${text}`,
      );
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
