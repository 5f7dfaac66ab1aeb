/** Converts jobs of Kubeflow and Volcano Jobs into each other, and reports what was lost. Pure. */
import { apiVersionOf, RAY_CLUSTERS, VOLCANO_JOBS } from '@muster/job-api';
import { frameworkOf } from '@muster/volcano-job';
import { kindOf } from '../kinds.ts';
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
  if (form !== undefined) return toVolcano(manifest, form);
  const supported = JOB_FORMS.map((each) => `${each.kind} of ${each.apiVersion}`).join(', ');
  const named = `${kind ?? 'an object without kind'} of ${apiVersion ?? 'no apiVersion'}`;
  const problem = `apiVersion, kind: ${named} cannot be converted${reasonOf(manifest)}`;
  return `${problem}; supported: ${supported}, and Job of ${apiVersionOf(VOLCANO_JOBS)}`;
}

/** Why a kind that Muster runs has no form. */
function reasonOf(manifest: Manifest): string {
  const resource = kindOf(manifest)?.definition.resource;
  if (resource === undefined) return '';
  const other = JOB_FORMS.find(({ kind }) => kind === resource.kind);
  if (other !== undefined) return `: write it as ${other.apiVersion} first`;
  return resource.group === RAY_CLUSTERS.group
    ? ": a Volcano Job does not submit programs and has no autoscaler; write one with Volcano's plugin ray"
    : ': Volcano has no plugin for it, so its pods would lack their environment variables';
}
