/** Why a gang scheduler does not schedule a job's pods, from the job's pod group. */
import { COSCHEDULING_POD_GROUPS, NATIVE_POD_GROUPS, VOLCANO_POD_GROUPS, type KubeObject } from '@muster/job-api';
import { isKubeError, type KubeClient } from '@muster/kube';
import type { FoundJob } from './find-job.ts';

/** Undefined if there is no pod group, the user may not read it, or it is scheduled. */
export async function podGroupProblem(client: KubeClient, { name, namespace }: FoundJob): Promise<string | undefined> {
  for (const resource of [VOLCANO_POD_GROUPS, COSCHEDULING_POD_GROUPS, NATIVE_POD_GROUPS]) {
    try {
      const { spec, status } = await client.get<PodGroup>(resource, { name, namespace });
      const { phase = '', conditions = [] } = status ?? {};
      if (RUNS.includes(phase) || conditions.some(isPlaced)) return undefined;
      const message = conditions.at(-1)?.message ?? '';
      const group = `PodGroup ${name} of ${resource.group}: ${phase || 'Pending'}`;
      const least = spec?.minMember ?? spec?.schedulingPolicy?.gang?.minCount ?? '?';
      return `${group}, needs ${least} pods at once${message === '' ? '' : `: ${message}`}`;
    } catch (error) {
      if (!isKubeError(error, 'NotFound', 'Forbidden')) throw error;
    }
  }
  return undefined;
}

/** Phases of a scheduled group, of both schedulers. */
const RUNS: readonly string[] = ['Running', 'Scheduled', 'Finished', 'Completed'];

/** For a group of Kubernetes itself, which has no phases. */
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
