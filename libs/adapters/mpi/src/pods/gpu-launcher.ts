/** The GPUs of a pod. Whether a launcher of v1 computes, they decide: the generation has no field for it. */
import type { Container, PodSpec } from '@muster/job-api';

/**
 * Whether a container of the launcher has a limit for GPUs. By the name of the resource, as upstream has it
 * (kubeflow/training-operator: isGPULauncher): `nvidia.com/gpu`, `amd.com/gpu`, `aliyun.com/gpu-mem`. Requests do not count.
 */
export function isGpuLauncher({ containers }: Pick<PodSpec, 'containers'>): boolean {
  return containers.some((container) => gpuLimits(container).length > 0);
}

function gpuLimits({ resources }: Container): string[] {
  return Object.entries(resources?.limits ?? {}).flatMap(([name, amount]) => (name.includes('gpu') ? [amount] : []));
}

/** How many whole GPUs the containers of a pod have. What is shared among pods (`nvidia.com/gpu-mem`) is none. */
export function wholeGpus({ containers }: Pick<PodSpec, 'containers'>): number {
  const limits = containers.flatMap(({ resources }) => Object.entries(resources?.limits ?? {}));
  const amounts = limits.flatMap(([name, amount]) => (name.endsWith('/gpu') ? [Number(amount)] : []));
  return amounts.filter(Number.isInteger).reduce((sum, amount) => sum + amount, 0);
}
