/** A launcher of v1 computes if it has GPUs: the generation has no field for that. */
import type { Container, PodSpec } from '@muster/job-api';

/**
 * Matches the resource name like upstream (kubeflow/training-operator: isGPULauncher): `nvidia.com/gpu`, `amd.com/gpu`,
 * `aliyun.com/gpu-mem`. Requests do not count.
 */
export function isGpuLauncher({ containers }: Pick<PodSpec, 'containers'>): boolean {
  return containers.some((container) => gpuLimits(container).length > 0);
}

function gpuLimits({ resources }: Container): string[] {
  return Object.entries(resources?.limits ?? {}).flatMap(([name, amount]) => (name.includes('gpu') ? [amount] : []));
}

/** Shared GPUs (`nvidia.com/gpu-mem`) do not count. */
export function wholeGpus({ containers }: Pick<PodSpec, 'containers'>): number {
  const limits = containers.flatMap(({ resources }) => Object.entries(resources?.limits ?? {}));
  const amounts = limits.flatMap(([name, amount]) => (name.endsWith('/gpu') ? [Number(amount)] : []));
  return amounts.filter(Number.isInteger).reduce((sum, amount) => sum + amount, 0);
}
