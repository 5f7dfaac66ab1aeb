/** Whether a launcher of v1 computes: the generation has no field for it, so GPUs decide. */
import type { PodSpec } from '@muster/job-api';

/**
 * Whether a container of the launcher has a limit for GPUs. By the name of the resource, as upstream has it
 * (kubeflow/training-operator: isGPULauncher): `nvidia.com/gpu`, `amd.com/gpu`, `aliyun.com/gpu-mem`. Requests do not count.
 */
export function isGpuLauncher({ containers }: Pick<PodSpec, 'containers'>): boolean {
  return containers.some(({ resources }) => Object.keys(resources?.limits ?? {}).some((name) => name.includes('gpu')));
}
