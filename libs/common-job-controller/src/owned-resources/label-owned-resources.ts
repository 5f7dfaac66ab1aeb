/**
 * Pod groups and autoscalers that Kubeflow's operator has made, or a Muster that did not label them yet, lack the labels by
 * which the caches find them. Those that jobs control are given them when a term begins: the watch then shows them, and
 * their jobs are planned with them. Without that, one whose job has been suspended or has ended meanwhile would stay: a job
 * that needs none does not meet it.
 *
 * Owned resources that last as long as their job need no such look: the job meets them while it runs, and they go with it.
 */
import { sleep, type Clock, type TermWork } from '@muster/controller';
import type { KubeObject } from '@muster/job-api';
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

/** What is done of it in one term. */
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

/** Resolves when all have their labels, or when `signal` is aborted. Never throws: what fails is tried again. */
async function labelOwnedResources(labelling: Labelling, signal: AbortSignal): Promise<void> {
  const { kinds, namespaces, clock, logger } = labelling;
  const scopes = namespaces.length === 0 ? [undefined] : namespaces;
  let open = kinds
    .filter(({ endsWithRun, isAlwaysLabelled = false }) => endsWithRun && !isAlwaysLabelled)
    .flatMap((kind) => scopes.map((namespace) => ({ kind, namespace })));
  let hasFailed = false;
  while (open.length > 0 && !signal.aborted) {
    const failed: typeof open = [];
    for (const scope of open) {
      try {
        await labelScope(labelling, scope, signal);
      } catch (error) {
        if (signal.aborted) return;
        // Nobody can have made one.
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

async function labelScope(
  { client, adapter, logger }: Labelling,
  { kind: { resource }, namespace }: { kind: OwnedKind; namespace: string | undefined },
  signal: AbortSignal,
): Promise<void> {
  const where = namespace === undefined ? {} : { namespace };
  const { items } = await client.list(resource, { ...where, labelSelector: `!${adapter.labels.selector.key}`, signal });
  for (const object of items) {
    const job = jobOf(adapter, object);
    if (job === undefined) continue;
    const { name = '', uid } = object.metadata ?? {};
    const labels = adapter.labels.ofJob(job.name);
    await client.patch(resource, { namespace: job.namespace, name }, { metadata: { uid, labels } }, { signal });
    logger.info('an object of a job was labelled', { kind: resource.kind, namespace: job.namespace, name });
  }
}

/** The job that controls `object`, if it is one of this operator's. */
function jobOf({ resource }: FrameworkAdapter, object: KubeObject) {
  const controller = controllerOf(object);
  if (controller === undefined || !isOfKind(controller, resource)) return undefined;
  return { name: controller.name, uid: controller.uid, namespace: object.metadata?.namespace ?? '' };
}
