/** Finds the first rule of the failure policy whose conditions all hold, like a Job's podFailurePolicy (kubernetes, pkg/controller/job). */
import { containersOf, type FailurePolicy, type FailurePolicyRule, type Pod } from '@muster/job-api';
import { isGoneOrTerminating } from '../failures/lost-replicas.ts';
import { podFailure } from '../failures/pod-failure.ts';
import { disruptionOf, isEndedByCluster } from '../pods/pod-end.ts';
import type { MatchedRule, ReplicaPod } from '../model/replica-pod.ts';
import { isRestartingInPlace } from '../pods/in-place.ts';

export function matchingRule(policy: FailurePolicy | undefined, replica: ReplicaPod): MatchedRule | undefined {
  const { role, state, pod } = replica;
  if (policy === undefined || role.restartsAsPods !== true) return undefined;
  // This failure was already handled: the restart in place is under way.
  if (pod !== undefined && isRestartingInPlace(pod, role.containerName)) return undefined;
  if (state === 'running' || state === 'succeeded') return undefined;
  return firstRule(policy, replica, (rule) => rule.onNoProgress !== true && matches(rule, replica));
}

export function hangRule(policy: FailurePolicy | undefined, replica: ReplicaPod): MatchedRule | undefined {
  return policy && firstRule(policy, replica, (rule) => rule.onNoProgress === true);
}

function firstRule(
  { rules }: FailurePolicy,
  { role }: ReplicaPod,
  applies: (rule: FailurePolicyRule) => boolean,
): MatchedRule | undefined {
  const at = rules.findIndex((rule) => rule.roles?.includes(role.name) !== false && applies(rule));
  const rule = rules[at];
  return rule && { ...rule, name: rule.name ?? String(at + 1) };
}

function matches(rule: FailurePolicyRule, { state, pod }: ReplicaPod): boolean {
  // Lost without a pod: the cause is unknown, so only a rule without conditions matches.
  if (pod === undefined) return state === 'failed' && !hasConditions(rule);
  const failure = podFailure(pod);
  if (failure === undefined) return state === 'failed' && isGoneOrTerminating({ pod }) && !hasConditions(rule);
  // The cluster's disruptions delete pods. A pod that a user deletes has not failed.
  if (state === 'terminating' && !isEndedByCluster(pod)) return false;
  // A pod that waits for resources has only failed for rules with onReasons.
  if (state === 'pending' && rule.onReasons === undefined) return false;
  return (
    rule.onReasons?.includes(failure.class) !== false &&
    hasExitCode(rule, pod) &&
    hasPodCondition(rule, pod) &&
    saysMessage(rule, pod)
  );
}

function hasConditions({ onExitCodes, onPodConditions, onReasons, onMessage }: FailurePolicyRule): boolean {
  return (onExitCodes ?? onPodConditions ?? onReasons ?? onMessage) !== undefined;
}

function hasExitCode({ onExitCodes }: FailurePolicyRule, pod: Pod): boolean {
  if (onExitCodes === undefined) return true;
  const { operator, values, containerName } = onExitCodes;
  return endsOf(pod, containerName).some(({ exitCode }) => values.includes(exitCode) === (operator === 'In'));
}

function hasPodCondition({ onPodConditions }: FailurePolicyRule, { status: { conditions = [] } = {} }: Pod): boolean {
  const isMet = ({ type, status = 'True' }: NonNullable<FailurePolicyRule['onPodConditions']>[number]) =>
    conditions.some((condition) => condition.type === type && condition.status === status);
  return onPodConditions?.some(isMet) !== false;
}

function saysMessage({ onMessage }: FailurePolicyRule, pod: Pod): boolean {
  if (onMessage === undefined) return true;
  const ofPod = [pod.status?.message, disruptionOf(pod)?.message];
  const texts = [...endsOf(pod).map(({ message }) => message), ...ofPod].flatMap((text) => text ?? []);
  return onMessage.some((pattern) => texts.some((text) => hasText(text, pattern)));
}

/** `*` in `pattern` matches any characters. The parts are searched in order, so the time is bounded. */
export function hasText(text: string, pattern: string): boolean {
  let from = 0;
  for (const part of pattern.split('*')) {
    const found = text.indexOf(part, from);
    if (found < 0) return false;
    from = found + part.length;
  }
  return true;
}

function endsOf(pod: Pod, container?: string) {
  return containersOf(pod)
    .filter(({ name }) => container === undefined || name === container)
    .flatMap(({ state }) => state?.terminated ?? [])
    .filter(({ exitCode }) => exitCode !== 0);
}
