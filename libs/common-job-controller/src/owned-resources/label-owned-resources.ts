/**
 * Pod groups and autoscalers of Kubeflow's operator, or of an earlier Muster, lack the labels that the caches select by. At the start of a
 * leader term those of this operator's jobs get them. Otherwise they would remain if their job was suspended or ended in the meantime.
 *
 * Owned resources that last as long as their job do not need this: a running job finds them by name, and they are deleted with it.
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

function jobOf({ resource }: FrameworkAdapter, object: KubeObject) {
  const controller = controllerOf(object);
  if (controller === undefined || !isOfKind(controller, resource)) return undefined;
  return { name: controller.name, uid: controller.uid, namespace: object.metadata?.namespace ?? '' };
}
