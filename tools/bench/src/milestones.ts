/** Records when the objects of a collection first meet a condition, also if their watch is interrupted. */
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

  /** Starts with the present objects. A wait that takes longer than `limitMs` fails. */
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

  /** The time, by `performance.now()`, at which the condition first holds from now on. `what` describes it in errors. */
  when(what: string, holds: (objects: readonly T[]) => boolean): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const waiting = { holds, resolve };
    this.#waiting.add(waiting);
    const late = setTimeout(() => {
      const { plural } = this.#informer.resource;
      reject(
        new Error(
          `timed out after ${this.#limitMs} ms, waiting for "${what}"; there are ${this.#informer.list().length} ${plural}`,
        ),
      );
    }, this.#limitMs);
    // The timer must not keep the process alive after the caller has given up.
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

  /** Thousands of changes a second are checked together: the measurement must not slow down the measured programs. */
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
