import type { JobManifest } from '@muster/common-job-controller';
import { KubeError, type ClusterClient, type KubeListPage, type WatchEvent } from '@muster/kube';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KINDS } from '../kinds.ts';
import type { FoundJob } from './find-job.ts';
import { watchJob, type WatchJobOptions } from './watch-job.ts';

const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob')!;
const DENIED = new KubeError('list: pytorchjobs is forbidden: User "ann" cannot list resource "pytorchjobs"', {
  ...{ code: 403, reason: 'Forbidden' },
});

function job(resourceVersion: string): JobManifest {
  return { metadata: { name: 'mnist', namespace: 'team', uid: 'uid', resourceVersion } };
}

/** @param answers to list requests; the last one is repeated. A watch ends when `cut` is called. */
function clientOf(answers: readonly (JobManifest | KubeError)[]) {
  let lists = 0;
  let cut = Promise.withResolvers<never>();
  const client = {
    listPage: (): Promise<KubeListPage<JobManifest>> => {
      const answer = answers[Math.min(lists++, answers.length - 1)]!;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ items: [answer], resourceVersion: '1' });
    },
    watch: (_resource: unknown, { signal }: { signal: AbortSignal }) => {
      cut = Promise.withResolvers<never>();
      const { promise, reject } = cut;
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      return Promise.resolve(
        (async function* (): AsyncGenerator<WatchEvent<JobManifest>> {
          yield await promise;
        })(),
      );
    },
  } as unknown as ClusterClient;
  return { client, cut: () => cut.reject(DENIED) };
}

function watched(client: ClusterClient, options: Partial<WatchJobOptions> = {}) {
  const ended = new AbortController();
  onTestFinished(() => ended.abort(new Error('the test has ended')));
  const warnings: string[] = [];
  const found: FoundJob = {
    ...{ kind, name: 'mnist', namespace: 'team', manifest: job('1') },
    resource: kind.definition.resource,
  };
  const warn = (message: string) => warnings.push(message);
  const snapshots = watchJob(client, found, { signal: ended.signal, warn, withPods: false, ...options });
  const next = async () => {
    const result = await snapshots.next();
    return result.done === true ? undefined : result.value.manifest?.metadata?.resourceVersion;
  };
  return { next, warnings };
}

describe('the watch of a job', () => {
  it('ends at once if the user lacks permission', async () => {
    const { next } = watched(clientOf([DENIED]).client);
    await expect(next()).rejects.toMatchObject({ exitCode: 7 });
  });

  it('tolerates a short refusal of a starting API server', async () => {
    const { client, cut } = clientOf([job('1'), DENIED, job('2')]);
    const { next, warnings } = watched(client);
    expect(await next()).toBe('1');
    cut();
    expect(await next()).toBe('2');
    expect(warnings).toEqual([`${DENIED.message}; retrying`]);
  });

  it('ends if permission stays lost', async () => {
    const { client, cut } = clientOf([job('1'), DENIED]);
    const { next } = watched(client, { deniedLimitMs: 20 });
    expect(await next()).toBe('1');
    cut();
    await expect(next()).rejects.toMatchObject({ exitCode: 7, message: DENIED.message });
  });
});
