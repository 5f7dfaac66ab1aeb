/**
 * Pod groups and autoscalers of Kubeflow's operator, or of an earlier Muster, lack the labels that the caches select by.
 * At the start of a leader term those of this operator's jobs get them. Otherwise they would remain if their job was
 * suspended or ended in the meantime. Owned resources that last as long as their job do not need this.
 */
import { sleep, type Clock, type TermWork } from '@muster/controller';
import { isKubeError, type KubeClient, type Logger } from '@muster/kube';
import type { FrameworkAdapter } from '../contract/adapter.ts';
import type { OwnedKind } from '../model/owned-resources.ts';
import { controllerOf, isOfKind } from '../model/ownership.ts';

const RETRY_MS = 5000;

export interface Labelling {
  readonly client: Pick<KubeClient, 'list' | 'patch'>;
  readonly adapter: FrameworkAdapter;
  readonly kinds: readonly OwnedKind[];
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
}

export function labellingWork(labelling: Labelling): TermWork {
  const over = new AbortController();
  let labelled = Promise.resolve();
  return {
    start: () => {
      labelled = labelOwnedResources(labelling, over.signal);
    },
    abort: () => over.abort(),
    stop: async () => {
      over.abort();
      await labelled;
    },
  };
}

/** Resolves when all objects are labelled or `signal` is aborted. Never throws: failures are retried. */
async function labelOwnedResources(labelling: Labelling, signal: AbortSignal): Promise<void> {
  const { kinds, namespaces, clock, logger } = labelling;
  let open = kinds
    .filter(({ endsWithRun, isAlwaysLabelled = false }) => endsWithRun && !isAlwaysLabelled)
    .flatMap((kind): Scope[] =>
      namespaces.length === 0 ? [{ kind }] : namespaces.map((namespace) => ({ kind, namespace })),
    );
  let hasFailed = false;
  while (open.length > 0 && !signal.aborted) {
    const failed: Scope[] = [];
    for (const scope of open) {
      try {
        await labelScope(labelling, scope, signal);
      } catch (error) {
        if (signal.aborted) return;
        // The kind is not installed, so there are no objects.
        if (isKubeError(error, 'NotFound')) continue;
        failed.push(scope);
        const fields = { resource: scope.kind.resource.plural, namespace: scope.namespace, error: String(error) };
        logger[hasFailed ? 'debug' : 'warn']('objects of jobs could not be labelled: trying again', fields);
      }
    }
    hasFailed ||= failed.length > 0;
    open = failed;
    if (open.length > 0) await sleep(clock, RETRY_MS, signal);
  }
}

interface Scope {
  readonly kind: OwnedKind;
  /** Undefined: all namespaces. */
  readonly namespace?: string;
}

async function labelScope(labelling: Labelling, scope: Scope, signal: AbortSignal): Promise<void> {
  const { client, adapter, logger } = labelling;
  const { kind, ...where } = scope;
  const { resource } = kind;
  const { items } = await client.list(resource, { ...where, labelSelector: `!${adapter.labels.selector.key}`, signal });
  for (const object of items) {
    const controller = controllerOf(object);
    if (controller === undefined || !isOfKind(controller, adapter.resource)) continue;
    const { name = '', namespace = '', uid } = object.metadata ?? {};
    const labels = adapter.labels.ofJob(controller.name);
    await client.patch(resource, { namespace, name }, { metadata: { uid, labels } }, { signal });
    logger.info('an object of a job was labelled', { kind: resource.kind, namespace, name });
  }
}
