/** Converts jobs of Kubeflow and Volcano Jobs into each other, and reports what was lost. Pure. */
import { apiVersionOf, VOLCANO_JOBS } from '@muster/job-api';
import { frameworkOf } from '@muster/volcano-job';
import type { Converted, Manifest } from './converted.ts';
import { fromVolcano } from './from-volcano.ts';
import { JOB_FORMS } from './job-forms.ts';
import { toVolcano } from './to-volcano.ts';

/** Returns a string if it cannot be converted: the reason. */
export function convertJob(manifest: Manifest): Converted | string {
  const { apiVersion, kind } = manifest;
  if (apiVersion === apiVersionOf(VOLCANO_JOBS) && kind === VOLCANO_JOBS.kind) {
    const framework = frameworkOf(manifest.spec ?? {});
    const form = JOB_FORMS.find(({ plugin }) => plugin.name === framework);
    return form === undefined
      ? `spec.plugins: expected one of ${JOB_FORMS.map(({ plugin }) => plugin.name).join(', ')}: Kubeflow has a kind only for these`
      : fromVolcano(manifest, form);
  }
  const form = JOB_FORMS.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  const known = JOB_FORMS.map((each) => `${each.kind} of ${each.apiVersion}`).join(', ');
  return form === undefined
    ? `apiVersion, kind: ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'} cannot be converted; supported: ${known}, and Job of ${apiVersionOf(VOLCANO_JOBS)}`
    : toVolcano(manifest, form);
}
