/** Names of a RayService's objects, as KubeRay's. */
import { createHash } from 'node:crypto';
import type { RayServiceSpec } from '@muster/job-api';
import { checkedName } from '../model/names.ts';
import { RAY_LABELS } from '../model/ray-labels.ts';

const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** `<rayservice>-<5 characters>`. The time makes names of later clusters differ; `taken` excludes those that exist. */
export function newClusterName(
  { name, uid, nowMs }: { readonly name: string; readonly uid: string; readonly nowMs: number },
  taken: ReadonlySet<string>,
): string {
  for (let attempt = 0; ; attempt++) {
    const bytes = createHash('sha256').update(`${uid}/${nowMs}/${attempt}`).digest();
    const suffix = [...bytes.subarray(0, 5)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
    if (!taken.has(`${name}-${suffix}`)) return `${name}-${suffix}`;
  }
}

export function serviceLabels(rayService: string): Record<string, string> {
  return { [RAY_LABELS.originName]: rayService, [RAY_LABELS.originKind]: 'RayService' };
}

export function headServiceOf(rayService: string): string {
  return checkedName(`${rayService}-head-svc`);
}

export function serveServiceOf(rayService: string, { serveService }: RayServiceSpec): string {
  const users = serveService?.metadata?.name ?? '';
  return users === '' ? checkedName(`${rayService}-serve-svc`) : users;
}

/** In an incremental upgrade each cluster has one. */
export function clusterServeService(cluster: string): string {
  return checkedName(`${cluster}-serve-svc`);
}
