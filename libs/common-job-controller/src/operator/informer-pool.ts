/** The informers of one operator, whose kinds of jobs share those that watch the same. */
import type { KubeObject } from '@muster/job-api';
import type { Informer } from '@muster/kube';

export class InformerPool {
  readonly #all: Informer<KubeObject>[] = [];
  readonly #known = new Map<unknown, Map<string, Informer<KubeObject>>>();

  /** Each once, in the order in which they were made. */
  get all(): readonly Informer<KubeObject>[] {
    return this.#all;
  }

  /** That which is known for `what` under this label selector, or else what `make` makes. */
  of<T extends KubeObject>(what: unknown, make: () => Informer<T>, labelSelector = ''): Informer<T> {
    const ofWhat = this.#known.get(what) ?? new Map<string, Informer<KubeObject>>();
    this.#known.set(what, ofWhat);
    const known = ofWhat.get(labelSelector) as Informer<T> | undefined;
    if (known !== undefined) return known;
    const informer = make();
    ofWhat.set(labelSelector, informer);
    this.#all.push(informer);
    return informer;
  }
}
