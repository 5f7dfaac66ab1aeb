/** The applications of one cluster: what Ray Serve got, what it reports, and what is submitted next. */
import type { Probe } from '@muster/common-job-controller';
import type { RayServeApplicationStatus } from '@muster/job-api';
import { readApplications, readDeployment, type ServeApplication, type ServeAnswer } from '../serve/serve-calls.ts';
import { parseServeConfig, serveProblem, withTargetCapacity } from '../serve/serve-config.ts';
import type { ObservedCluster, ObservedService } from './observed-service.ts';
import { applicationsName, submissionName, submissionProbe, type Submission } from './service-probes.ts';
import type { SideRecord } from './service-record.ts';

export interface ServeState {
  /** With the last submission and the last reported applications. */
  readonly record: SideRecord;
  /** The record has a submission that Ray Serve has just accepted. */
  readonly hasSubmitted: boolean;
  /** All applications of the wanted config run, by an answer from after its submission. */
  readonly isServing: boolean;
  readonly call?: Probe;
  /** Ray Serve refused the config. It is not submitted again until it changes. */
  readonly refusal?: string;
  /** In one line, why it is not serving. */
  readonly problem?: string;
  readonly recheckAfterMs?: number;
}

export interface WantedConfig {
  readonly text: string;
  readonly targetCapacity?: number | undefined;
}

/** @param wanted undefined: the cluster keeps what it has */
export function serveState(
  observed: ObservedService,
  cluster: ObservedCluster,
  record: SideRecord,
  wanted: WantedConfig | undefined,
): ServeState {
  const { head, isHeadReady } = cluster;
  if (head === undefined || !isHeadReady) return { record, hasSubmitted: false, isServing: false };
  const parsed = wanted === undefined ? {} : parseServeConfig(wanted.text);
  const { config } = parsed;
  let submitted = record.submitted;
  let hasSubmitted = false;
  for (;;) {
    const { number = 0 } = submitted ?? {};
    const reported = readApplications(observed.probeResults.get(applicationsName(cluster, head, number)));
    const known = { ...record, ...(submitted && { submitted }), ...applicationsOf(reported) };
    const settled = { record: known, hasSubmitted };
    const isCurrent = wanted !== undefined && isSubmitted(submitted, wanted);
    const isDue = config !== undefined && wanted !== undefined && (!isCurrent || hasLost(config, reported));
    if (!isDue) {
      const problem = parsed.problem ?? problemOf(reported, number);
      const isServing = isCurrent && problem === undefined;
      return { ...settled, isServing, ...(problem !== undefined && { problem }) };
    }
    const { text, targetCapacity } = wanted;
    const whole = targetCapacity === undefined ? config : withTargetCapacity(config, targetCapacity);
    const submission: Submission = { text, targetCapacity, config: whole, number: number + 1 };
    const result = observed.probeResults.get(submissionName(cluster, submission));
    const answer = readDeployment(result);
    if (answer?.kind !== 'Accepted') {
      return { ...settled, ...awaited(observed, cluster, submission, answer) };
    }
    hasSubmitted = true;
    submitted = {
      ...{ serveConfigV2: text, number: number + 1, head: head.identity },
      ...(targetCapacity !== undefined && { targetCapacity }),
    };
  }
}

function isSubmitted(submitted: SideRecord['submitted'], { text, targetCapacity }: WantedConfig): boolean {
  return (
    (submitted?.number ?? 0) > 0 && submitted?.serveConfigV2 === text && submitted.targetCapacity === targetCapacity
  );
}

/** A head without fault tolerance loses the applications when it restarts. */
function hasLost({ applications }: Readonly<Record<string, unknown>>, reported: ServeAnswer | undefined): boolean {
  const expected = Array.isArray(applications) ? applications.length : 0;
  return expected > 0 && reported?.kind === 'Applications' && Object.keys(reported.applications).length === 0;
}

function awaited(
  observed: ObservedService,
  cluster: ObservedCluster,
  submission: Submission,
  answer: ReturnType<typeof readDeployment>,
): Pick<ServeState, 'isServing' | 'call' | 'problem' | 'refusal' | 'recheckAfterMs'> {
  if (answer?.kind === 'Refused') {
    return {
      isServing: false,
      refusal: answer.problem,
      problem: `Ray Serve refuses spec.serveConfigV2: ${answer.problem}`,
    };
  }
  const call = submissionProbe(observed, cluster, submission);
  const problem =
    answer?.kind === 'Unanswered'
      ? `spec.serveConfigV2 cannot be submitted: ${answer.problem}`
      : 'spec.serveConfigV2 is being submitted to Ray Serve';
  if (call === undefined) return { isServing: false, problem: 'the RayCluster reports no Service of its head' };
  const { triedMs = Infinity } = observed.probeResults.get(call.name) ?? {};
  const waits = answer !== undefined && Number.isFinite(triedMs);
  return {
    ...{ isServing: false, call, problem },
    ...(waits && { recheckAfterMs: Math.max(1, call.everyMs - triedMs + 1) }),
  };
}

/** Without an answer, the last one is kept. */
function applicationsOf(reported: ServeAnswer | undefined): Pick<SideRecord, 'applicationStatuses'> {
  if (reported?.kind !== 'Applications') return {};
  const entries = Object.entries(reported.applications).map(([name, each]) => [name, statusOf(each)] as const);
  return { applicationStatuses: Object.fromEntries(entries) };
}

function statusOf({ status, message, deployments }: ServeApplication): RayServeApplicationStatus {
  const entries = Object.entries(deployments).map(
    ([name, each]) => [name, { status: each.status, ...(each.message !== '' && { message: each.message }) }] as const,
  );
  return {
    status,
    ...(message !== '' && { message }),
    ...(entries.length > 0 && { serveDeploymentStatuses: Object.fromEntries(entries) }),
  };
}

function problemOf(reported: ServeAnswer | undefined, submissions: number): string | undefined {
  if (submissions === 0) return 'no config was submitted to Ray Serve';
  if (reported === undefined) return 'Ray Serve has not reported its applications yet';
  if (reported.kind === 'Silent') return `Ray Serve does not report its applications: ${reported.problem}`;
  if (Object.keys(reported.applications).length === 0) return 'Ray Serve has no applications';
  return serveProblem(reported.applications);
}
