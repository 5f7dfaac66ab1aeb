/** Jobs of Kubeflow and Volcano's as one another. Pure: what cannot be said in the other form is told. */
import { apiVersionOf, VOLCANO_JOBS } from '@muster/job-api';
import { frameworkOf } from '@muster/volcano-job';
import type { Converted, Manifest } from './converted.ts';
import { fromVolcano } from './from-volcano.ts';
import { JOB_FORMS } from './job-forms.ts';
import { toVolcano } from './to-volcano.ts';

/** Or the reason why it cannot be converted, in words. */
export function convertJob(manifest: Manifest): Converted | string {
  const { apiVersion, kind } = manifest;
  if (apiVersion === apiVersionOf(VOLCANO_JOBS) && kind === VOLCANO_JOBS.kind) {
    const framework = frameworkOf(manifest.spec ?? {});
    const form = JOB_FORMS.find(({ plugin }) => plugin.name === framework);
    return form === undefined
      ? `spec.plugins: names none of ${JOB_FORMS.map(({ plugin }) => plugin.name).join(', ')}: only those have a kind of Kubeflow`
      : fromVolcano(manifest, form);
  }
  const form = JOB_FORMS.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  const known = JOB_FORMS.map((each) => `${each.kind} of ${each.apiVersion}`).join(', ');
  return form === undefined
    ? `apiVersion, kind: ${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'} cannot be converted; known: ${known}, and Job of ${apiVersionOf(VOLCANO_JOBS)}`
    : toVolcano(manifest, form);
}
