/** Converts a job of Kubeflow to a Volcano Job: each role becomes a task, named in the arguments of the framework's plugin. */
import type { RunPolicy } from '@muster/job-api';
import { keptMetadata, lostFields, type Converted, type Manifest, type RoleSpec } from './converted.ts';
import type { JobForm } from './job-forms.ts';

const RUN_POLICY_NOTES = {
  activeDeadlineSeconds: 'a Volcano Job has no deadline',
  startDeadlineSeconds: 'a Volcano Job has no deadline',
  backoffLimit: 'Volcano counts restarts of the Job, not of pods: set spec.maxRetry instead',
  cleanPodPolicy: 'Volcano deletes running pods at the end, and keeps the others',
  suspend: 'create a Command with action AbortJob after the Job is created',
};

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

export function toVolcano({ metadata = {}, spec = {} }: Manifest, form: JobForm): Converted {
  const roles = Object.entries((spec[form.roles] ?? {}) as Record<string, RoleSpec>);
  const runPolicy = (spec['runPolicy'] ?? {}) as Partial<RunPolicy>;
  const { schedulingPolicy = {}, ttlSecondsAfterFinished } = runPolicy;
  const { minAvailable, queue, priorityClass } = schedulingPolicy;
  const slots = spec['slotsPerWorker'] as number | undefined;
  const all = roles.reduce((sum, [, { replicas = 1 }]) => sum + replicas, 0);
  const same = form.spec?.(roles.map(([role]) => role)) ?? {};
  const named = roles.map(([role]) => `--${form.flags[role] ?? role.toLowerCase()}=${role.toLowerCase()}`);
  return {
    manifest: {
      apiVersion: 'batch.volcano.sh/v1alpha1',
      kind: 'Job',
      metadata: keptMetadata(metadata),
      spec: {
        minAvailable: minAvailable ?? all,
        ...(queue !== undefined && { queue }),
        ...(priorityClass !== undefined && { priorityClassName: priorityClass }),
        ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
        plugins: { [form.plugin.name]: [...named, ...(slots === undefined ? [] : [`--slots=${slots}`])] },
        tasks: roles.map(([role, spec]) => taskOf(role, spec, form)),
      },
    },
    lost: [
      ...lostFields('spec', without(spec, same), [form.roles, 'runPolicy', 'slotsPerWorker']),
      ...Object.entries(same)
        .filter(([field]) => spec[field] === undefined)
        .map(([field, value]) => `spec.${field}: the Volcano Job behaves as with ${String(value)}`),
      ...lostFields(
        'spec.runPolicy',
        without(runPolicy, { cleanPodPolicy: 'Running' }),
        ['schedulingPolicy', 'ttlSecondsAfterFinished'],
        RUN_POLICY_NOTES,
      ),
      ...lostFields('spec.runPolicy.schedulingPolicy', schedulingPolicy, ['minAvailable', 'queue', 'priorityClass']),
      ...roles.flatMap(([role, { restartPolicy }]) =>
        restartPolicy === undefined || RESTART_POLICIES.includes(restartPolicy)
          ? []
          : [
              `spec.${form.roles}[${role}].restartPolicy: ${restartPolicy} becomes Never: set policies of the task with exitCode instead`,
            ],
      ),
    ],
  };
}

/** The fields of `object` with another value than in `same`. */
function without(object: object, same: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(object).filter(([field, value]) => same[field] !== value));
}

function taskOf(role: string, { replicas = 1, restartPolicy, template }: RoleSpec, form: JobForm): object {
  const wanted = restartPolicy ?? form.restartPolicy;
  return {
    name: role.toLowerCase(),
    replicas,
    template: {
      ...template,
      spec: { ...template?.spec, restartPolicy: RESTART_POLICIES.includes(wanted) ? wanted : 'Never' },
    },
  };
}
