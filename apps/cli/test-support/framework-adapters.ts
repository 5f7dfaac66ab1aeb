/** The adapters of a framework's kinds, as its operator runs them. */
import type { FrameworkAdapter } from '@muster/common-job-controller';
import { FRAMEWORKS, type FrameworkName, type Resource } from '@muster/job-api';
import { KINDS } from '../src/kinds.ts';

export function adaptersOf(framework: FrameworkName): [FrameworkAdapter, ...FrameworkAdapter[]] {
  const definitions: readonly { readonly resource: Resource }[] = FRAMEWORKS[framework];
  const [first, ...others] = KINDS.flatMap(({ definition, adapter }) =>
    definitions.some(({ resource }) => resource.kind === definition.resource.kind)
      ? [adapter({ clusterDomain: 'cluster.local' })]
      : [],
  );
  if (first === undefined) throw new Error(`${framework} has no kinds`);
  return [first, ...others];
}
