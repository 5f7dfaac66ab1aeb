/** The informers of one operator, shared between its kinds of jobs. */
import type { Component } from '@muster/controller';
import type { KubeObject, Resource } from '@muster/job-api';
import {
  createInformer,
  resourceName,
  type ClusterClient,
  type Informer,
  type InformerOptions,
  type Logger,
} from '@muster/kube';
import type { Registry } from 'prom-client';

export interface Watching {
  readonly client: ClusterClient;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly namespaces: readonly string[];
}

export class InformerPool {
  readonly #watching: Watching;
  readonly #shared: { by: object; labelSelector: string | undefined; informer: Informer<KubeObject> }[] = [];

  constructor(watching: Watching) {
    this.#watching = watching;
  }

  get all(): readonly Informer<KubeObject>[] {
    return this.#shared.map(({ informer }) => informer);
  }

  /** The existing informer for the same `by` and label selector, whatever its other options are. */
  of<T extends KubeObject>(
    resource: Resource<T>,
    options: InformerOptions<T> = {},
    by: object = resource,
  ): Informer<T> {
    const { labelSelector } = options;
    const known = this.#shared.find((each) => each.by === by && each.labelSelector === labelSelector);
    if (known !== undefined) return known.informer as Informer<T>;
    const { client, registry, logger, namespaces } = this.#watching;
    const where = { registry, logger, ...(resource.namespaced && { namespaces }) };
    const informer = createInformer(client, resource, { ...where, ...options });
    this.#shared.push({ by, labelSelector, informer });
    return informer;
  }
}

/**
 * Starts all at once, so that one that cannot sync does not keep others from reporting that they can.
 *
 * @param mayBeAbsent resources that the cluster may not serve; jobs that need them wait
 */
export function informersComponent(
  informers: readonly Informer<KubeObject>[],
  mayBeAbsent: ReadonlySet<Resource>,
): Component {
  return {
    name: 'informers',
    async start(signal) {
      for (const informer of informers) informer.start();
      await Promise.all(
        informers.map((informer) =>
          mayBeAbsent.has(informer.resource) ? informer.waitForAnswer(signal) : informer.waitForSync(signal),
        ),
      );
    },
    async stop() {
      await Promise.all(informers.map((informer) => informer.stop()));
    },
  };
}

export function isAbsent({ problem }: Informer<KubeObject>): boolean {
  return problem?.reason === 'NotFound';
}

export function informerProblem(informer: Informer<KubeObject>, installHint?: string): string | undefined {
  const { resource, problem, synced } = informer;
  const name = resourceName(resource);
  if (isAbsent(informer) && installHint !== undefined) {
    return `the CustomResourceDefinition ${name} is not installed: run ${installHint}`;
  }
  if (problem !== undefined) return `cannot watch ${name}: ${problem.message}`;
  return synced ? undefined : `waiting for the first list of ${name}`;
}
