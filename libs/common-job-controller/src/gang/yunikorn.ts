/**
 * Apache YuniKorn, from 1.6 on. It derives a gang from the pods' application and task groups, one per role, and reserves their places by
 * placeholders. It reads the task groups only from an application's first pod. So existing pods need no change when the job is scaled.
 */
import { LABELS, type Pod } from '@muster/job-api';
import type { TrainingJob } from '../model/training-job.ts';
import type { GangScheduler, GangRules } from '../contract/gang-scheduler.ts';
import { gangMembers, type GangMember } from './gang-size.ts';
import { withMarks } from './marks.ts';

const NAME = 'yunikorn';
const PREFIX = 'yunikorn.apache.org/';
const APPLICATION = `${PREFIX}app-id`;
const QUEUE = `${PREFIX}queue`;
const TASK_GROUP = `${PREFIX}task-group-name`;
const TASK_GROUPS = `${PREFIX}task-groups`;
const PARAMETERS = `${PREFIX}schedulingPolicyParameters`;
const TIMEOUT = 'placeholderTimeoutInSeconds';
/** Labels for applications and queues of before 1.6, which YuniKorn still reads. */
const OLD_LABELS = { [APPLICATION]: 'applicationId', [QUEUE]: 'queue' };

export const YUNIKORN: GangScheduler = {
  name: NAME,
  schedulerName: NAME,
  reads: ['minAvailable', 'queue', 'scheduleTimeoutSeconds'],
  decorate: (pod, job, { role }, rules) =>
    withMarks(pod, {
      schedulerName: NAME,
      labels: {
        [LABELS.gangScheduler]: NAME,
        ...unlessSet(pod, APPLICATION, applicationOf(job)),
        ...unlessSet(pod, QUEUE, queueOf(job)),
      },
      annotations: { ...taskGroupMarks(pod, job, role.name, rules), ...parameters(job) },
    }),
};

/**
 * Applications of all namespaces share their names, hence the UID. Each attempt is another application, because pods of a started one are
 * placed one by one.
 */
function applicationOf({ metadata, status }: TrainingJob): string {
  const { attempt = 0 } = status;
  return ownValue(metadata, APPLICATION) ?? (attempt === 0 ? metadata.uid : `${metadata.uid}-${attempt}`);
}

function queueOf({ metadata, runPolicy }: TrainingJob): string | undefined {
  return runPolicy.schedulingPolicy?.queue || ownValue(metadata, QUEUE);
}

/** Omits a value that the pod has under the old label: YuniKorn refuses a pod with both. */
function unlessSet({ metadata }: Pod, key: keyof typeof OLD_LABELS, value: string | undefined) {
  const isSet =
    metadata !== undefined && (ownValue(metadata, key) ?? metadata.labels?.[OLD_LABELS[key] ?? '']) !== undefined;
  return !isSet && value !== undefined && { [key]: value };
}

function ownValue({ labels, annotations }: NonNullable<Pod['metadata']>, key: string): string | undefined {
  return labels?.[key] ?? annotations?.[key];
}

/** A role that no gang waits for has no task group: its pods are placed one by one when the application runs. */
function taskGroupMarks({ metadata }: Pod, job: TrainingJob, role: string, rules: GangRules) {
  const own = metadata?.annotations ?? {};
  if (own[TASK_GROUP] !== undefined || own[TASK_GROUPS] !== undefined) return {};
  const members = gangMembers(rules, job);
  return {
    [TASK_GROUPS]: JSON.stringify(members.map(taskGroup)),
    ...(members.some((member) => member.role.name === role) && { [TASK_GROUP]: role.toLowerCase() }),
  };
}

function taskGroup({ role, count, spec, requests }: GangMember) {
  const { nodeSelector, tolerations, affinity, topologySpreadConstraints } = spec;
  return {
    name: role.name.toLowerCase(),
    minMember: count,
    // Required by YuniKorn.
    minResource: requests,
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
    ...(topologySpreadConstraints && { topologySpreadConstraints }),
  };
}

function parameters({ metadata, runPolicy }: TrainingJob): Record<string, string> {
  const { scheduleTimeoutSeconds } = runPolicy.schedulingPolicy ?? {};
  const own = metadata.annotations?.[PARAMETERS]?.split(' ').filter((each) => each !== '') ?? [];
  const hasTimeout = own.some((each) => each.startsWith(`${TIMEOUT}=`));
  const added = scheduleTimeoutSeconds === undefined || hasTimeout ? [] : [`${TIMEOUT}=${scheduleTimeoutSeconds}`];
  const all = [...own, ...added].join(' ');
  return all === '' ? {} : { [PARAMETERS]: all };
}
