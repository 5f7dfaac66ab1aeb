/**
 * A job and its pods as they change. It outlives lost connections, and says so through `warn`, once for each reason. It throws a
 * `CommandError` if the user has no right to watch them, or has lost it.
 */
import type { JobManifest } from '@muster/common-job-controller';
import { PODS, type KubeObject, type Pod, type Resource } from '@muster/job-api';
import { createInformer, type ClusterClient, type Informer, type InformerOptions } from '@muster/kube';
import { CommandError } from '../exit-codes.ts';
import type { FoundJob } from './find-job.ts';
import { ownPods, podRuleFor } from './list-pods.ts';
import { saysAccessDenied } from './refusal.ts';

export interface JobSnapshot {
  /** Undefined: it is gone, or another job has its name. It is the last snapshot then. */
  readonly manifest: JobManifest | undefined;
  readonly pods: readonly Pod[];
}

export interface WatchJobOptions {
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** Whether the pods are watched, for which the user needs the right. Default: true. */
  readonly withPods?: boolean;
  /** How long a right that was there may be missing before the watch ends. */
  readonly deniedLimitMs?: number;
}

/** An API server that starts refuses requests until its caches of RBAC are full. */
const DENIED_LIMIT_MS = 30_000;

/** Begins with what there is. Changes that come while a snapshot is looked at are in the next one together. */
export async function* watchJob(
  client: ClusterClient,
  found: FoundJob,
  { signal, warn, withPods = true, deniedLimitMs = DENIED_LIMIT_MS }: WatchJobOptions,
): AsyncGenerator<JobSnapshot> {
  const rule = podRuleFor(found);
  const { name, namespace, manifest } = found;
  const told = new Set<string>();
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
      if (!told.has(error)) warn(`${error}; trying on`);
      told.add(error);
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
      changes.seen();
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

/** Whether something has changed since it was last looked at. */
function changesOf(informers: readonly Informer<KubeObject>[], signal: AbortSignal) {
  let change = Promise.withResolvers<void>();
  const changed = () => change.resolve();
  for (const informer of informers) informer.subscribe({ added: changed, updated: changed, deleted: changed });
  const aborted = new Promise<never>((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // Nobody may be waiting for it.
  aborted.catch(() => {});
  return {
    seen: () => (change = Promise.withResolvers<void>()),
    next: () => Promise.race([change.promise, aborted]),
  };
}
