/** Notes when the objects of a collection first were what somebody waits for, however their watch is interrupted. */
import type { KubeObject, Resource } from '@muster/job-api';
import { createInformer, type ClusterClient, type Informer } from '@muster/kube';

const LOOK_EVERY_MS = 20;

interface Waiting<T> {
  readonly holds: (objects: readonly T[]) => boolean;
  readonly resolve: (atMs: number) => void;
}

export class Milestones<T extends KubeObject> implements AsyncDisposable {
  readonly #informer: Informer<T>;
  readonly #limitMs: number;
  readonly #waiting = new Set<Waiting<T>>();
  #timer: NodeJS.Timeout | undefined;

  private constructor(informer: Informer<T>, limitMs: number) {
    this.#informer = informer;
    this.#limitMs = limitMs;
    const soon = () => this.#lookSoon();
    informer.subscribe({ added: soon, updated: soon, deleted: soon });
  }

  /** Begins with what is there now. Whoever waits longer than `limitMs` is told so by an error. */
  static async of<T extends KubeObject>(
    client: ClusterClient,
    resource: Resource<T>,
    { namespace, labelSelector }: { namespace: string; labelSelector?: string },
    limitMs: number,
  ): Promise<Milestones<T>> {
    const informer = createInformer(client, resource, {
      namespaces: [namespace],
      ...(labelSelector !== undefined && { labelSelector }),
    });
    informer.start();
    await informer.waitForSync();
    return new Milestones(informer, limitMs);
  }

  /** When, by `performance.now()`, it first held from now on. `what` is waited for, in words. */
  when(what: string, holds: (objects: readonly T[]) => boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiting = { holds, resolve };
    this.#waiting.add(waiting);
    const late = setTimeout(() => {
      const { plural } = this.#informer.resource;
      reject(new Error(`not within ${this.#limitMs} ms: ${what}; there are ${this.#informer.list().length} ${plural}`));
    }, this.#limitMs);
    // Whoever has given up for another reason is not to be kept from ending.
    late.unref();
    this.#look();
    return promise.finally(() => {
      clearTimeout(late);
      this.#waiting.delete(waiting);
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    return this.#informer.stop();
  }

  /** Of thousands of changes a second each is not looked at by itself: what is measured would wait for whoever measures it. */
  #lookSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#look();
    }, LOOK_EVERY_MS);
  }

  #look(): void {
    if (this.#waiting.size === 0) return;
    const objects = this.#informer.list();
    for (const { holds, resolve } of this.#waiting) if (holds(objects)) resolve(performance.now());
  }
}
