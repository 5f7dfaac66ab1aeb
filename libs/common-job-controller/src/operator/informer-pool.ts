/** The informers of one operator, shared between its kinds of jobs. */
import type { KubeObject } from '@muster/job-api';
import type { Informer } from '@muster/kube';

export class InformerPool {
  readonly #all: Informer<KubeObject>[] = [];
  readonly #known = new Map<unknown, Map<string, Informer<KubeObject>>>();

  get all(): readonly Informer<KubeObject>[] {
    return this.#all;
  }

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
