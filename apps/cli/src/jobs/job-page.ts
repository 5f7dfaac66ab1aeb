/** The state of a job as a page of text. */
import { isBesideState, startProblemOf } from '@muster/common-job-controller';
import type { JobFailure, Pod } from '@muster/job-api';
import { age } from '../terminal/age.ts';
import { shownState } from '../terminal/state-colour.ts';
import { table } from '../terminal/table.ts';
import type { JobView, ReplicaView } from './job-view.ts';
import { badEndOf, messageOf } from './pod-end.ts';

/**
 * @param nowMs the time from which ages are computed
 * @param isWide with the nodes of pods
 */
export function jobPage(view: JobView, nowMs: number, isWide = false): string {
  const { kind, manifest, state, ready, restarts, conditions, firstFailure, roles, replicas } = view;
  const { name, namespace, creationTimestamp } = manifest.metadata ?? {};
  const head = [
    `${kind.definition.resource.kind} ${namespace}/${name}`,
    state === undefined ? 'no operator has reconciled it yet' : shownState(state),
    ...(ready === undefined ? [] : [`${ready} ready`]),
    ...(restarts ? [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`] : []),
    `created ${age(creationTimestamp, nowMs)} ago`,
  ];
  return [
    `${head.join(', ')}\n`,
    section('Conditions', [
      ['TYPE', 'STATUS', 'SINCE', 'REASON', 'MESSAGE'],
      ...conditions.map((each) => [
        each.type,
        each.status,
        // The lastTransitionTime of conditions beside the state is before the job's creation.
        age((isBesideState(each) ? each.lastUpdateTime : undefined) ?? each.lastTransitionTime, nowMs),
        each.reason ?? '-',
        each.message ?? '',
      ]),
    ]),
    section('First failure', [
      ['REPLICA', 'POD', ...(isWide ? ['NODE'] : []), 'CLASS', 'SINCE', 'WHY'],
      ...(firstFailure === undefined ? [] : [failureCells(firstFailure, nowMs, isWide)]),
    ]),
    section('Roles', [
      ['ROLE', 'WANTED', 'READY', 'SUCCEEDED', 'FAILED'],
      ...roles.map((role) => [
        role.name,
        role.wanted?.toString() ?? '-',
        ...[role.ready, role.succeeded, role.failed].map(String),
      ]),
    ]),
    section('Pods', [
      ['REPLICA', 'POD', 'STATUS', 'RESTARTS', 'AGE', ...(isWide ? ['NODE'] : []), 'WHY'],
      ...replicas.map((replica) => podCells(replica, nowMs, isWide)),
    ]),
  ].join('');
}

/** Empty without rows below the head. */
function section(title: string, rows: readonly (readonly string[])[]): string {
  return rows.length < 2 ? '' : `\n${title}\n${table(rows, { indent: '  ' })}`;
}

function failureCells(failure: JobFailure, nowMs: number, isWide: boolean): string[] {
  const { role, index, pod, node = '-', class: kind, time } = failure;
  const replica = [`${role.toLowerCase()}-${index}`, pod, ...(isWide ? [node] : [])];
  return [...replica, kind, age(time, nowMs), messageOf(failure)];
}

function podCells({ name, pod }: ReplicaView, nowMs: number, isWide: boolean): string[] {
  const { metadata, spec, status } = pod;
  const restarts = (status?.containerStatuses ?? []).reduce((sum, { restartCount }) => sum + restartCount, 0);
  return [
    name,
    metadata?.name ?? '',
    podStatus(pod),
    String(restarts),
    age(metadata?.creationTimestamp, nowMs),
    ...(isWide ? [spec?.nodeName ?? '-'] : []),
    whyOf(pod) ?? '',
  ];
}

/** The status that kubectl shows if it is more specific than the phase. */
function podStatus({ metadata, status }: Pod): string {
  if (metadata?.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.phase === 'Failed' && status.reason !== undefined) return status.reason;
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const waiting = containers.map(({ state }) => state?.waiting?.reason).find((reason) => reason !== undefined);
  return (
    (status?.phase === 'Failed' || status?.phase === 'Succeeded' ? undefined : waiting) ?? status?.phase ?? 'Pending'
  );
}

/** Why the pod does not start, or how it failed, in one line. */
function whyOf(pod: Pod): string | undefined {
  const trouble = startProblemOf(pod);
  const text = trouble === undefined ? badEndOf(pod)?.what : `${trouble.reason}: ${trouble.message}`;
  return text?.replaceAll(/\s+/g, ' ');
}
