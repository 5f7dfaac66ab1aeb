/** Converts a Volcano Job with a framework's plugin to a job of Kubeflow: each task in the plugin's arguments becomes a role. */
import type { PodTemplateSpec } from '@muster/job-api';
import { readArguments, type VolcanoTask } from '@muster/volcano-job';
import { keptMetadata, lostFields, type Converted, type Manifest } from './converted.ts';
import type { JobForm } from './job-forms.ts';

const SPEC_NOTES = {
  policies: 'set restartPolicy of each role, and runPolicy.failurePolicy, instead',
  maxRetry: 'set runPolicy.backoffLimit instead, which counts restarts of pods',
  volumes: 'add the claims to the pod templates',
  schedulerName: 'set it in the pod templates, or name a gang scheduler in the annotation muster.dev/gang-scheduler',
};

type Task = Pick<VolcanoTask['spec'], 'name' | 'replicas' | 'template'>;

export function fromVolcano({ metadata = {}, spec = {} }: Manifest, form: JobForm): Converted {
  const { minAvailable, queue, priorityClassName, ttlSecondsAfterFinished } = spec;
  const tasks = (spec['tasks'] ?? []) as readonly Task[];
  const plugins = (spec['plugins'] ?? {}) as Readonly<Record<string, readonly string[]>>;
  const { name } = form.plugin;
  const { values, places } = readArguments(form.plugin.flags, plugins[name] ?? [], `spec.plugins.${name}`);
  const roleOf = (task: string) => Object.entries(form.flags).find(([, flag]) => values[flag] === task)?.[0];
  const roles = tasks.flatMap(({ name: task = '', replicas = 0, template }, at) => {
    const role = roleOf(task);
    return role === undefined ? [] : [{ role, replicas, template, at }];
  });
  const schedulingPolicy = {
    ...(minAvailable !== undefined && { minAvailable }),
    ...(queue !== undefined && { queue }),
    ...(priorityClassName !== undefined && { priorityClass: priorityClassName }),
  };
  const runPolicy = {
    ...(ttlSecondsAfterFinished !== undefined && { ttlSecondsAfterFinished }),
    ...(Object.keys(schedulingPolicy).length > 0 && { schedulingPolicy }),
  };
  const slots = values['slots'] as number | undefined;
  const known = [...Object.values(form.flags), 'slots'];
  return {
    manifest: {
      apiVersion: form.apiVersion,
      kind: form.kind,
      metadata: keptMetadata(metadata),
      spec: {
        ...form.spec?.(roles.map(({ role }) => role)),
        ...(slots !== undefined && { slotsPerWorker: slots }),
        ...(Object.keys(runPolicy).length > 0 && { runPolicy }),
        [form.roles]: Object.fromEntries(
          roles.map(({ role, replicas, template }) => [role, roleSpec(replicas, template, form)]),
        ),
      },
    },
    lost: [
      ...lostFields(
        'spec',
        spec,
        ['minAvailable', 'queue', 'priorityClassName', 'ttlSecondsAfterFinished', 'plugins', 'tasks'],
        SPEC_NOTES,
      ),
      ...Object.keys(plugins)
        .filter((plugin) => plugin !== name)
        .map((plugin) => `spec.plugins.${plugin}: left out: jobs of this kind do not need it`),
      ...[...places]
        .filter(([flag]) => !known.includes(flag))
        .map(([flag, place]) => `${place}: --${flag} is left out: the other kind has no equivalent`),
      ...tasks.flatMap((task, at) => [
        ...(roleOf(task.name ?? '') === undefined
          ? [`spec.tasks[${at}]: task ${task.name} is left out: no argument of the plugin ${name} names it`]
          : []),
        ...lostFields(`spec.tasks[${at}]`, task, ['name', 'replicas', 'template']),
      ]),
    ],
  };
}

function roleSpec(replicas: number, template: PodTemplateSpec, { container, restartPolicy }: JobForm): object {
  const { restartPolicy: own, ...spec } = template.spec ?? { containers: [] };
  const [first, ...others] = spec.containers;
  const isNamed = container === undefined || spec.containers.some(({ name }) => name === container);
  const containers = isNamed || first === undefined ? spec.containers : [{ ...first, name: container }, ...others];
  return { replicas, restartPolicy: own ?? restartPolicy, template: { ...template, spec: { ...spec, containers } } };
}
