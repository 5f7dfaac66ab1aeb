/** What the dashboards and alerts of a framework are about, as its kinds and adapters say. */
import { crdFor, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import type { Subject } from '@muster/monitoring';
import { FRAMEWORK_CHARTS } from './framework-charts.ts';

/** In a CRD: jobs of the kind may ask for their progress to be followed. */
const PROGRESS_FIELD = '"progressDeadlineSeconds"';

export function subjectOf(framework: FrameworkName): Subject {
  const { title, adapters } = FRAMEWORK_CHARTS[framework];
  const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.kind);
  const jobsFramework = adapters[0]?.framework ?? framework;
  const isElastic = adapters.some(({ elastic }) => elastic !== undefined);
  const tellsProgress = FRAMEWORKS[framework].some((each) => JSON.stringify(crdFor(each)).includes(PROGRESS_FIELD));
  return { framework, jobsFramework, title, kinds, isElastic, tellsProgress };
}
