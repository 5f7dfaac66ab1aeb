/** Why a gang scheduler does not place a job's pods, as its pod group says. */
import { COSCHEDULING_POD_GROUPS, NATIVE_POD_GROUPS, VOLCANO_POD_GROUPS, type KubeObject } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import type { FoundJob } from './find-job.ts';

/** Undefined where there is no pod group, the user may not read it, or it does not wait. */
export async function podGroupTrouble(client: KubeClient, { name, namespace }: FoundJob): Promise<string | undefined> {
  for (const resource of [VOLCANO_POD_GROUPS, COSCHEDULING_POD_GROUPS, NATIVE_POD_GROUPS]) {
    try {
      const { spec, status } = await client.get<PodGroup>(resource, { name, namespace });
      const { phase = '', conditions = [] } = status ?? {};
      if (RUNS.includes(phase) || conditions.some(isPlaced)) return undefined;
      const said = conditions.at(-1)?.message ?? '';
      const group = `PodGroup ${name} of ${resource.group}: ${phase || 'Pending'}`;
      const least = spec?.minMember ?? spec?.schedulingPolicy?.gang?.minCount ?? '?';
      return `${group}, ${least} pods at once${said === '' ? '' : `: ${said}`}`;
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Forbidden')) throw error;
    }
  }
  return undefined;
}

/** Phases of a group whose pods were placed, by both schedulers. */
const RUNS: readonly string[] = ['Running', 'Scheduled', 'Finished', 'Completed'];

/** Of a group of Kubernetes itself, which has no phases. */
function isPlaced({ type, status }: Condition): boolean {
  return ['PodGroupScheduled', 'PodGroupInitiallyScheduled'].includes(type ?? '') && status === 'True';
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

interface PodGroup extends KubeObject {
  readonly spec?: {
    readonly minMember?: number;
    readonly schedulingPolicy?: { readonly gang?: { readonly minCount?: number } };
  };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly Condition[] };
}
