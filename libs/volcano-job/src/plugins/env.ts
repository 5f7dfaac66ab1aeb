/** The plugin `env`: each container is told which pod of its task it is in. */
import { withEnv, type PodChange } from '../pods/pod-change.ts';

export const ENV_FLAGS = {};

/** Behind the older name, which scripts read all the same. */
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
