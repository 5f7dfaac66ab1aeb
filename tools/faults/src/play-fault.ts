/** Causes one fault, and reads the job's status and the output of `muster why` after they have settled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { apiVersionOf, PODS, type JobFailure, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { ANSWERS } from './answers.ts';
import type { Fault, Place } from './fault.ts';
import { whyAnswer, wrongIn, type Answer } from './why-answer.ts';

const STATUS = { everyMs: 1000, limitMs: 400_000 } as const;
/** `muster why` is a process of its own. */
const WHY = { everyMs: 10_000, limitMs: 300_000 } as const;
/** The status has settled if it does not change for this time. */
const SETTLED_AFTER_MS = 8000;

export interface FaultResult {
  readonly fault: Fault;
  /** Undefined: the status got no failure in time. */
  readonly failure: JobFailure | undefined;
  readonly answer: Answer | undefined;
  /** Differences from what is expected. */
  readonly wrong: readonly string[];
}

export async function runFault(fault: Fault, place: Place): Promise<FaultResult> {
  const { name, resource, spec, annotations, expected } = fault;
  await fault.prepare?.(place);
  const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const metadata = { name, namespace: place.namespace, ...(annotations && { annotations }) };
  await place.client.create(resource, { ...typed, metadata, spec });
  if (fault.inject !== undefined) {
    await untilTrue(() => isRunning(fault, place));
    await fault.inject(place);
  }
  const failure = expected && (await settledFailure(fault, place));
  const wrongFailure = expected === undefined ? [] : wrongFields(failure, expected);
  let answer: Answer | undefined;
  const wrongAnswer = () => (answer === undefined ? ['there is no answer'] : wrongIn(answer, ANSWERS[name]));
  await untilTrue(
    async () => {
      // A busy API server may not answer in time: `muster why` runs again.
      answer = (await whyAnswer(fault, place).catch(() => undefined)) ?? answer;
      return wrongFailure.length > 0 || wrongAnswer().length === 0;
    },
    ANSWERS[name] === undefined ? { everyMs: 40_000, limitMs: 60_000 } : WHY,
  );
  // Its pods make room for the next fault. The rest is removed with the cluster.
  await place.client.delete(resource, { namespace: place.namespace, name });
  return { fault, failure, answer, wrong: [...wrongFailure, ...wrongAnswer()] };
}

async function settledFailure(fault: Fault, place: Place): Promise<JobFailure | undefined> {
  const key = { namespace: place.namespace, name: fault.name };
  let failure: JobFailure | undefined;
  let sinceMs = performance.now();
  await untilTrue(async () => {
    const { status = {} }: { status?: JobStatus } = await place.client.get(fault.resource, key);
    if (JSON.stringify(status.firstFailure) !== JSON.stringify(failure)) {
      failure = status.firstFailure;
      sinceMs = performance.now();
    }
    return failure !== undefined && performance.now() - sinceMs > SETTLED_AFTER_MS;
  });
  return failure;
}

async function isRunning({ name, expected, watched }: Fault, { client, namespace }: Place): Promise<boolean> {
  try {
    const { status } = await client.get(PODS, { namespace, name: watched ?? expected?.pod ?? '' });
    return status?.phase === 'Running';
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  }
}

/** Returns after the limit even if the condition does not hold; the result is then not as expected. */
async function untilTrue(
  holds: () => Promise<boolean>,
  { everyMs, limitMs }: { readonly everyMs: number; readonly limitMs: number } = STATUS,
): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > endMs) return;
    await sleep(everyMs);
  }
}

function wrongFields(failure: JobFailure | undefined, expected: NonNullable<Fault['expected']>): string[] {
  if (failure === undefined) return ['status.firstFailure is not set'];
  return Object.entries(expected)
    .filter(([field, value]) => Reflect.get(failure, field) !== value)
    .map(([field, value]) => `${field} of status.firstFailure is not ${String(value)}`);
}
