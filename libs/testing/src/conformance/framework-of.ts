import { FRAMEWORKS, type FrameworkName, type Resource } from '@muster/job-api';

/** The framework whose operator runs the kind; undefined for kinds of tests. */
export function frameworkOf({ kind }: Pick<Resource, 'kind'>): FrameworkName | undefined {
  const names = Object.keys(FRAMEWORKS) as FrameworkName[];
  return names.find((name) => FRAMEWORKS[name].some((definition) => definition.resource.kind === kind));
}
