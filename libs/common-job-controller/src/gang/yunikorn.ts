/**
 * Apache YuniKorn, from 1.6 on. It knows a gang by what its pods say: the application that they belong to, and its task
 * groups, one for each role. It makes placeholders for them, and has the pods take their places when all have one.
 *
 * It reads the task groups of an application's first pod, and never again. So pods that are there need not be touched when
 * the job is scaled, and those that come later are placed as members of the same application.
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
/** By which it knew applications and queues before 1.6, and does still. */
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
        ...unlessSaid(pod, APPLICATION, applicationOf(job)),
        ...unlessSaid(pod, QUEUE, queueOf(job)),
      },
      annotations: { ...taskGroupMarks(pod, job, role.name, rules), ...parameters(job) },
    }),
};

/**
 * Applications of all namespaces share their names, so it is the job's UID; and another one for each attempt of the whole job, since
 * the pods of an application that has begun are placed one by one.
 */
function applicationOf({ metadata, status }: TrainingJob): string {
  const { attempt = 0 } = status;
  return said(metadata, APPLICATION) ?? (attempt === 0 ? metadata.uid : `${metadata.uid}-${attempt}`);
}

function queueOf({ metadata, runPolicy }: TrainingJob): string | undefined {
  return runPolicy.schedulingPolicy?.queue || said(metadata, QUEUE);
}

/** What is said under another name for the same: YuniKorn refuses a pod with two answers. */
function unlessSaid({ metadata }: Pod, key: keyof typeof OLD_LABELS, value: string | undefined) {
  const isSaid =
    metadata !== undefined && (said(metadata, key) ?? metadata.labels?.[OLD_LABELS[key] ?? '']) !== undefined;
  return !isSaid && value !== undefined && { [key]: value };
}

function said({ labels, annotations }: NonNullable<Pod['metadata']>, key: string): string | undefined {
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

/** What a placeholder has to have to stand for a pod of the role. */
function taskGroup({ role, count, spec, requests }: GangMember) {
  const { nodeSelector, tolerations, affinity, topologySpreadConstraints } = spec;
  return {
    name: role.name.toLowerCase(),
    minMember: count,
    // YuniKorn refuses a group without them.
    minResource: requests,
    ...(nodeSelector && { nodeSelector }),
    ...(tolerations && { tolerations }),
    ...(affinity && { affinity }),
    ...(topologySpreadConstraints && { topologySpreadConstraints }),
  };
}

/** Those of the job's own annotation, and the time-out of its policy. */
function parameters({ metadata, runPolicy }: TrainingJob): Record<string, string> {
  const { scheduleTimeoutSeconds } = runPolicy.schedulingPolicy ?? {};
  const own = metadata.annotations?.[PARAMETERS]?.split(' ').filter((each) => each !== '') ?? [];
  const hasTimeout = own.some((each) => each.startsWith(`${TIMEOUT}=`));
  const added = scheduleTimeoutSeconds === undefined || hasTimeout ? [] : [`${TIMEOUT}=${scheduleTimeoutSeconds}`];
  const all = [...own, ...added].join(' ');
  return all === '' ? {} : { [PARAMETERS]: all };
}
