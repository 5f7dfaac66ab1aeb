/** The plugin `env`: sets the pod's index in its task as environment variables. */
import { withEnv, type PodChange } from '../pods/pod-change.ts';

export const ENV_FLAGS = {};

/** The second variable is the older name, which existing scripts read. */
export function indexVariables(index: number): PodChange {
  const value = String(index);
  return withEnv(
    [
      { name: 'VK_TASK_INDEX', value },
      { name: 'VC_TASK_INDEX', value },
    ],
    'all',
  );
}
