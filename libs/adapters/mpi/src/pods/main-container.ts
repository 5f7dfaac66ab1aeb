/** The one container of a pod that an MPI job changes; sidecars stay as the user wrote them. */
import type { Container, PodSpec } from '@muster/job-api';

/** `spec` with the container named `main` as `change` makes it. */
export function withMainContainer(spec: PodSpec, main: string, change: (container: Container) => Container): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) => (container.name === main ? change(container) : container)),
  };
}
