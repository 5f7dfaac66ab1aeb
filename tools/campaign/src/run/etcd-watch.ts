/**
 * Reads every write to a cluster's etcd, in order and without gaps, through etcd's JSON gateway: also while the API server is down, and
 * what watches of the API server would lose. The API server has to store JSON (`--storage-media-type=application/json`).
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Cluster } from '@muster/cluster';
import type { Change, StoredObject } from '../history/history.ts';

const PREFIX = '/registry/';
/** The first key after all with the prefix. */
const PREFIX_END = '/registry0';
/** Core resources whose key has not their plural. */
const STORED_AS: Readonly<Record<string, string>> = { minions: 'nodes', 'services/specs': 'services' };

interface WatchLine {
  readonly result?: {
    readonly canceled?: boolean;
    readonly cancel_reason?: string;
    readonly events?: readonly {
      readonly type?: 'DELETE';
      readonly kv: { readonly key: string; readonly value?: string; readonly mod_revision: string };
      readonly prev_kv?: { readonly value?: string; readonly mod_revision: string };
    }[];
  };
  readonly error?: { readonly message?: string };
}

export class EtcdWatch implements Disposable {
  readonly changes: Change[] = [];
  /** Called with each change. */
  onChange: (change: Change) => void = () => undefined;
  /** After an error the history is incomplete. */
  failure: Error | undefined;
  readonly #agent: Agent;
  readonly #url: string;

  private constructor(url: string, agent: Agent) {
    this.#url = url;
    this.#agent = agent;
  }

  /** Resolves when the watch is open; the changes begin with the next one. */
  static async of({ stateDir }: Pick<Cluster, 'stateDir'>): Promise<EtcdWatch> {
    const pki = (file: string) => readFileSync(join(stateDir, 'pki', file));
    const { ports } = JSON.parse(readFileSync(join(stateDir, 'state.json'), 'utf8')) as { ports: { etcd: number } };
    const credentials = { ca: pki('etcd-ca.crt'), cert: pki('etcd-client.crt'), key: pki('etcd-client.key') };
    const watch = new EtcdWatch(`https://127.0.0.1:${ports.etcd}`, new Agent({ ...credentials, keepAlive: true }));
    await watch.#open();
    return watch;
  }

  /** The revision of the last change that was seen. */
  get revision(): number {
    return this.changes.at(-1)?.revision ?? 0;
  }

  /** Discards all older revisions, as etcd's own compaction does: watches that start before it expire. */
  async compact(): Promise<void> {
    const answer = await this.#post('/v3/kv/compaction', { revision: String(this.revision), physical: true });
    answer.resume();
  }

  [Symbol.dispose](): void {
    this.failure ??= new Error('closed');
    this.#agent.destroy();
  }

  async #open(): Promise<void> {
    const range = { key: encode(PREFIX), range_end: encode(PREFIX_END) };
    const answer = await this.#post('/v3/watch', { create_request: { ...range, prev_kv: true } });
    const lines = createInterface({ input: answer });
    lines.on('line', (line) => {
      const { result, error } = JSON.parse(line) as WatchLine;
      if (error !== undefined || result?.canceled === true) {
        this.failure ??= new Error(`etcd ended the watch: ${error?.message ?? result?.cancel_reason}`);
      }
      for (const event of result?.events ?? []) this.#note(event);
    });
    // readline reports the errors of its input.
    lines.on('error', (error: Error) => (this.failure ??= error));
    lines.on('close', () => (this.failure ??= new Error('etcd closed the watch')));
  }

  #note({ kv, prev_kv: previous }: NonNullable<NonNullable<WatchLine['result']>['events']>[number]): void {
    const before = objectOf(previous?.value, previous?.mod_revision);
    const after = objectOf(kv.value, kv.mod_revision);
    const change: Change = {
      ...placeOf(Buffer.from(kv.key, 'base64').toString()),
      revision: Number(kv.mod_revision),
      atMs: performance.now(),
      ...(before && { before }),
      ...(after && { after }),
    };
    this.changes.push(change);
    this.onChange(change);
  }

  async #post(path: string, body: object): Promise<IncomingMessage> {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    request(`${this.#url}${path}`, { method: 'POST', agent: this.#agent })
      .once('response', resolve)
      .once('error', reject)
      .end(JSON.stringify(body));
    return promise;
  }
}

/** `/registry/pods/default/a`, `/registry/services/specs/default/a`, `/registry/kubeflow.org/pytorchjobs/default/a`, `/registry/minions/a`. */
export function placeOf(key: string): Pick<Change, 'resource' | 'namespace' | 'name'> {
  const parts = key.slice(PREFIX.length).split('/');
  const name = parts.pop() ?? '';
  const [first = ''] = parts;
  if (first.includes('.')) {
    const [group = '', plural = '', namespace = ''] = parts;
    return { resource: `${plural}.${group}`, namespace, name };
  }
  const [stored = '', namespace = ''] = first === 'services' ? [parts.slice(0, 2).join('/'), parts[2]] : parts;
  return { resource: STORED_AS[stored] ?? stored, namespace, name };
}

function objectOf(value: string | undefined, revision: string | undefined): StoredObject | undefined {
  if (value === undefined) return undefined;
  const text = Buffer.from(value, 'base64').toString();
  if (!text.startsWith('{')) return undefined;
  const object = JSON.parse(text) as StoredObject;
  delete object.metadata?.managedFields;
  return { ...object, metadata: { ...object.metadata, resourceVersion: revision ?? '' } };
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64');
}
