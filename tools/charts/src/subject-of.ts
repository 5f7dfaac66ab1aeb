/** Derives the subject of dashboards and alerts from kinds and adapters. */
import { crdFor, FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import type { Subject } from '@muster/monitoring';
import { FRAMEWORK_CHARTS } from './framework-charts.ts';

/** In the CRD of a kind whose jobs can report progress. */
const PROGRESS_FIELD = '"progressDeadlineSeconds"';

export function subjectOf(framework: FrameworkName): Subject {
  const { title, adapters } = FRAMEWORK_CHARTS[framework];
  const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.kind);
  const jobsFramework = adapters[0]?.framework ?? framework;
  const isElastic = adapters.some(({ elastic }) => elastic?.bounds !== undefined);
  const tellsProgress = FRAMEWORKS[framework].some((each) => JSON.stringify(crdFor(each)).includes(PROGRESS_FIELD));
  return { framework, jobsFramework, title, kinds, isElastic, tellsProgress };
}
