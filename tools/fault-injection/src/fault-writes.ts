/**
 * Counts the writes through a `FaultProxy`, and calls a hook at the nth. While a hook is pending, writes are
 * serialized: so the server has handled exactly `n` when it is called, however many the client sends at once.
 */
import type { KubeObject } from '@muster/job-api';
import { matches, type ProxiedRequest, type ProxiedWrite, type RequestMatch } from './fault.ts';

export interface WriteHook {
  /** The counted writes. Dry runs and refused writes are never counted. */
  readonly match: RequestMatch;
  readonly nth: number;
  readonly act: (request: ProxiedRequest) => void | Promise<void>;
  readonly answerFirst: boolean;
}

/** The answer of a request, and how it is passed to the client. */
interface Answered {
  readonly code: number;
  readonly body: Buffer;
  tellClient(): Promise<void>;
}

export class FaultWrites {
  readonly done: ProxiedWrite[] = [];
  readonly #waiting = new Map<WriteHook, number>();
  #turn: Promise<void> = Promise.resolve();

  add(hook: WriteHook): void {
    this.#waiting.set(hook, hook.nth);
  }

  /** Runs `send` when it is this request's turn, and the hooks of the nth write. */
  async pass(request: ProxiedRequest, send: () => Promise<Answered | undefined>): Promise<void> {
    if (!isWrite(request)) return (await send())?.tellClient();
    if (this.#waiting.size === 0) return this.#passNow(request, send);
    const mine = this.#turn.then(() => this.#passNow(request, send));
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  async #passNow(request: ProxiedRequest, send: () => Promise<Answered | undefined>): Promise<void> {
    const answered = await send();
    if (answered === undefined) return;
    const due = this.#note(request, answered);
    for (const hook of due.filter(({ answerFirst }) => !answerFirst)) await this.#act(hook, request);
    await answered.tellClient();
    for (const hook of due.filter(({ answerFirst }) => answerFirst)) await this.#act(hook, request);
  }

  #note(request: ProxiedRequest, { code, body }: Answered): WriteHook[] {
    const { method, path, receivedMs } = request;
    this.done.push({ method, path, receivedMs, code, ...identityIn(body) });
    if (code >= 300) return [];
    const met = [...this.#waiting.keys()].filter((hook) => matches(hook.match, request));
    for (const hook of met) this.#waiting.set(hook, (this.#waiting.get(hook) ?? 0) - 1);
    return met.filter((hook) => this.#waiting.get(hook) === 0);
  }

  /** Other writes wait until it has returned. */
  async #act(hook: WriteHook, request: ProxiedRequest): Promise<void> {
    try {
      await hook.act(request);
    } finally {
      this.#waiting.delete(hook);
    }
  }
}

function isWrite({ method, query }: ProxiedRequest): boolean {
  return method !== 'GET' && !query.has('dryRun');
}

function identityIn(body: Buffer): Pick<ProxiedWrite, 'name' | 'uid' | 'version'> {
  try {
    const { metadata: { name, uid, resourceVersion } = {} } = JSON.parse(body.toString()) as KubeObject;
    return { name, uid, version: resourceVersion === undefined ? undefined : Number(resourceVersion) };
  } catch {
    // Not JSON, so there is no object in it.
    return { name: undefined, uid: undefined, version: undefined };
  }
}
