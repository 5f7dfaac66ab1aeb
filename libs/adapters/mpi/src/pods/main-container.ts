/** An MPI job changes only the main container; sidecars are not modified. */
import type { Container, PodSpec } from '@muster/job-api';

export function withMainContainer(spec: PodSpec, main: string, change: (container: Container) => Container): PodSpec {
  return {
    ...spec,
    containers: spec.containers.map((container) => (container.name === main ? change(container) : container)),
  };
}
