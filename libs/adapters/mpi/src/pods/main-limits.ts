/** The main container's resources, which v1alpha1 derives from a number of GPUs. */
import type { Container, PodSpec } from '@muster/job-api';
import { withMainContainer } from './main-container.ts';

/** `spec` with these limits for the container named `main`, besides its own for other resources. */
export function withLimits(spec: PodSpec, main: string, limits: Readonly<Record<string, string>>): PodSpec {
  if (Object.keys(limits).length === 0) return spec;
  return withMainContainer(spec, main, (container) => ({
    ...container,
    resources: { ...container.resources, limits: { ...container.resources?.limits, ...limits } },
  }));
}

/** `spec` without any requests or limits of the container named `main`: it does nothing but start others. */
export function withoutResources(spec: PodSpec, main: string): PodSpec {
  return withMainContainer(spec, main, ({ resources: _resources, ...container }): Container => container);
}
