/** Simulates kubelet and cluster for unscheduled pods, which run at once and end on request. */
import { PODS, type Pod } from '@muster/job-api';
import { isKubeError, type KubeClient, type WatchEvent } from '@muster/kube';
import { KUBELET_FINALIZER } from './job-shape.ts';

type Container = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number];

export class PlayedKubelet {
  readonly #client: KubeClient;
  /** Defects of the test. */
  readonly failures: unknown[] = [];
  /** By UID. Pods from a watch may be outdated. */
  readonly #restarts = new Map<string, number>();

  constructor(client: KubeClient) {
    this.#client = client;
  }

  heed({ type, object }: Pick<WatchEvent<Pod>, 'type'> & { object: Pod }): void {
    const { deletionTimestamp, finalizers = [] } = object.metadata ?? {};
    if (type === 'ADDED' && deletionTimestamp === undefined) this.#note(this.#run(object));
    const isHeld = deletionTimestamp !== undefined && finalizers.includes(KUBELET_FINALIZER);
    if (type !== 'DELETED' && isHeld) this.#note(this.#removeFinalizer(object));
  }

  async #run(pod: Pod): Promise<void> {
    const state = { running: { startedAt: now() } };
    await this.#report(pod, 'Running', { ready: true, state });
  }

  async restart(pod: Pod): Promise<void> {
    this.#restarts.set(uidOf(pod), this.#restartsOf(pod) + 1);
    await this.#run(pod);
  }

  async end(pod: Pod, exitCode: number): Promise<void> {
    const at = now();
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    const state = { terminated: { exitCode, reason, startedAt: at, finishedAt: at } };
    await this.#report(pod, exitCode === 0 ? 'Succeeded' : 'Failed', { ready: false, state });
  }

  /** A preemption only sets a condition, without the pod's reason. */
  async disrupt({ metadata }: Pod, by: 'eviction' | 'preemption'): Promise<void> {
    const reason = by === 'preemption' ? 'PreemptionByScheduler' : 'TerminationByKubelet';
    const conditions = [notReady(), { type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime: now() }];
    const status = { phase: 'Failed', conditions, ...(by === 'eviction' && { reason: 'Evicted' }) };
    await this.#client.patchStatus(PODS, keyOf(metadata), { metadata: { uid: metadata?.uid }, status });
  }

  async #report(pod: Pod, phase: string, container: Partial<Container>): Promise<void> {
    const { metadata } = pod;
    const ready = { type: 'Ready', status: 'True', lastTransitionTime: now() };
    const own = {
      name: 'pytorch',
      image: 'registry.example/train:1',
      imageID: '',
      restartCount: this.#restartsOf(pod),
      ...container,
    };
    const conditions = [phase === 'Running' ? ready : notReady()];
    const status = { phase, conditions, containerStatuses: [own] };
    await this.#client.patchStatus(PODS, keyOf(metadata), { metadata: { uid: metadata?.uid }, status });
  }

  async #removeFinalizer({ metadata }: Pod): Promise<void> {
    await this.#client.patch(PODS, keyOf(metadata), { metadata: { uid: metadata?.uid, finalizers: null } });
  }

  #restartsOf(pod: Pod): number {
    return this.#restarts.get(uidOf(pod)) ?? 0;
  }

  /** The pod may be gone or replaced. */
  #note(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!isKubeError(error, 'NotFound', 'Conflict')) this.failures.push(error);
    });
  }
}

function keyOf(metadata: Pod['metadata']): { namespace: string; name: string } {
  return { namespace: metadata?.namespace ?? '', name: metadata?.name ?? '' };
}

function uidOf({ metadata }: Pod): string {
  return metadata?.uid ?? '';
}

function notReady() {
  return { type: 'Ready', status: 'False', lastTransitionTime: now() };
}

function now(): string {
  return new Date().toISOString();
}
