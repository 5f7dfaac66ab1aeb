/**
 * Watches a job and its pods. It survives lost connections, and reports each reason once through `warn`. It throws a
 * `CommandError` if the user lacks or loses the permission to watch them.
 */
import type { JobManifest } from '@muster/common-job-controller';
import { PODS, type KubeObject, type Pod, type Resource } from '@muster/job-api';
import { createInformer, type ClusterClient, type Informer, type InformerOptions } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import type { FoundJob } from './find-job.ts';
import { ownPods, podRuleFor } from './list-pods.ts';
import { saysAccessDenied } from './refusal.ts';

export interface JobSnapshot {
  /** Undefined in the last snapshot, when the job is deleted or another job has its name. */
  readonly manifest: JobManifest | undefined;
  readonly pods: readonly Pod[];
}

export interface WatchJobOptions {
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** Whether pods are watched, too, which needs permission. Default: true. */
  readonly withPods?: boolean;
  /** How long a lost permission is tolerated. */
  readonly deniedLimitMs?: number;
}

/** A starting API server refuses requests until its RBAC caches are filled. */
const DENIED_LIMIT_MS = 30_000;

/** Starts with the current state. Changes during the processing of a snapshot are in the next one. */
export async function* watchJob(
  client: ClusterClient,
  found: FoundJob,
  { signal, warn, withPods = true, deniedLimitMs = DENIED_LIMIT_MS }: WatchJobOptions,
): AsyncGenerator<JobSnapshot> {
  const rule = podRuleFor(found);
  const { name, namespace, manifest } = found;
  const reported = new Set<string>();
  const denied = Promise.withResolvers<never>();
  denied.promise.catch(() => {});
  const denials = new Map<object, NodeJS.Timeout>();
  const clear = (informer: object) => {
    clearTimeout(denials.get(informer));
    denials.delete(informer);
  };
  const inform = <T extends KubeObject>(resource: Resource<T>, options: InformerOptions<T>) => {
    const failed = (fields?: object) => {
      const { error } = Object(fields) as { error?: string };
      if (error === undefined) return;
      const isDenied = saysAccessDenied(error);
      const reject = () => denied.reject(new CommandError('forbidden', error));
      if (isDenied && !informer.synced) return reject();
      if (!reported.has(error)) warn(`${error}; retrying`);
      reported.add(error);
      if (!isDenied) clear(informer);
      else if (!denials.has(informer)) denials.set(informer, setTimeout(reject, deniedLimitMs));
    };
    const logger = {
      debug: (_: string, fields?: object) => failed(fields),
      info: () => clear(informer),
      warn() {},
      error() {},
    };
    const informer = createInformer(client, resource, { namespaces: [namespace], logger, ...options });
    return informer;
  };
  const jobs = inform(found.resource, { fieldSelector: `metadata.name=${name}` });
  const selectors = withPods ? rule.selectors(manifest) : [];
  const pods = selectors.map((labelSelector) => inform(PODS, { labelSelector }));
  const informers: Informer<KubeObject>[] = [jobs, ...pods];
  const changes = changesOf(informers, signal);
  try {
    for (const informer of informers) informer.start();
    await Promise.race([Promise.all(informers.map((informer) => informer.waitForSync(signal))), denied.promise]);
    for (;;) {
      changes.reset();
      const current = jobs.get(`${namespace}/${name}`);
      const isThere = current !== undefined && current.metadata?.uid === manifest.metadata?.uid;
      const seen = pods.flatMap((informer) => informer.list());
      const own = ownPods(rule, { manifest: current ?? manifest }, seen);
      yield { manifest: isThere ? current : undefined, pods: own };
      if (!isThere) return;
      await Promise.race([changes.next(), denied.promise]);
    }
  } finally {
    await Promise.all(informers.map((informer) => informer.stop()));
    informers.forEach(clear);
  }
}

/** Signals changes since the last snapshot. */
function changesOf(informers: readonly Informer<KubeObject>[], signal: AbortSignal) {
  let change = Promise.withResolvers<void>();
  const changed = () => change.resolve();
  for (const informer of informers) informer.subscribe({ added: changed, updated: changed, deleted: changed });
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // The rejection may be unhandled while a snapshot is processed.
  aborted.catch(() => {});
  return {
    reset: () => (change = Promise.withResolvers<void>()),
    next: () => Promise.race([change.promise, aborted]),
  };
}
