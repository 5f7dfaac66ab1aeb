import type { Container, PodSpec } from '@muster/job-api';
import { withMainContainer } from './main-container.ts';

/** Keeps the container's limits of other resources. */
export function withLimits(spec: PodSpec, main: string, limits: Readonly<Record<string, string>>): PodSpec {
  if (Object.keys(limits).length === 0) return spec;
  return withMainContainer(spec, main, (container) => ({
    ...container,
    resources: { ...container.resources, limits: { ...container.resources?.limits, ...limits } },
  }));
}

/** Removes requests and limits of the container `main`, which only starts processes in other pods. */
export function withoutResources(spec: PodSpec, main: string): PodSpec {
  return withMainContainer(spec, main, ({ resources: _resources, ...container }): Container => container);
}
