/** What the dashboards and alerts of a framework are about, as its kinds and adapters say. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import type { Subject } from '@muster/monitoring';
import { FRAMEWORK_CHARTS } from './framework-charts.ts';

export function subjectOf(framework: FrameworkName): Subject {
  const { title, adapters } = FRAMEWORK_CHARTS[framework];
  const kinds = FRAMEWORKS[framework].map(({ resource }) => resource.kind);
  const jobsFramework = adapters[0]?.framework ?? framework;
  return { framework, jobsFramework, title, kinds, isElastic: adapters.some(({ elastic }) => elastic !== undefined) };
}
