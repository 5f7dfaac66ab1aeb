/** `--kind`: the name of a kind that Muster runs, or a file with a manifest of any other. */
import { readFile } from 'node:fs/promises';
import { createKubeClient, loadCluster } from '@muster/kube';
import { MEASURED_KINDS } from '../training-job.ts';
import type { JobKind } from './job-kind.ts';
import { manifestKind } from './manifest-kind.ts';
import { RAY_KIND } from './ray-kind.ts';
import { install, servedResource } from './served-resource.ts';

/** By framework: the jobs that are measured as a load. */
export const LOAD_KINDS: Readonly<Record<string, JobKind>> = { ...MEASURED_KINDS, ray: RAY_KIND };

export interface ChosenKind {
  /** The Muster operator that runs it; undefined for other kinds. */
  readonly framework: string | undefined;
  /** Called once there is a cluster; installs what the kind needs. */
  on(place: { readonly kubeconfig: string; readonly namespace: string }): Promise<JobKind>;
}

export async function chosenKind(text: string): Promise<ChosenKind> {
  const [framework, known] = Object.entries(LOAD_KINDS).find(([, { resource }]) => resource.kind === text) ?? [];
  if (known !== undefined) return { framework, on: () => Promise.resolve(known) };
  const kind = manifestKind(await readFile(text, 'utf8'));
  return {
    framework: undefined,
    async on({ kubeconfig, namespace }) {
      const client = createKubeClient(await loadCluster({ kubeconfig }), { userAgent: 'muster-bench' });
      try {
        await install(client, kind.installed, namespace);
        return kind.of(await servedResource(client, kind));
      } finally {
        await client.close();
      }
    },
  };
}
