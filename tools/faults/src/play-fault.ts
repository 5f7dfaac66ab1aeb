/** Plays one fault, and reads what the job's status and `muster why` report once they report no more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { apiVersionOf, PODS, type JobFailure, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import { ANSWERS } from './answers.ts';
import type { Fault, Place } from './fault.ts';
import { whyAnswer, wrongIn, type Answer } from './why-answer.ts';

const STATUS = { everyMs: 1000, limitMs: 400_000 } as const;
/** `muster why` is a process of its own. */
const WHY = { everyMs: 10_000, limitMs: 300_000 } as const;
/** What is still to be told of the same incident comes within this time. */
const SETTLED_AFTER_MS = 8000;

export interface Verdict {
  readonly fault: Fault;
  /** Undefined: the status has said nothing in time. */
  readonly said: JobFailure | undefined;
  readonly answer: Answer | undefined;
  /** What is not as expected. */
  readonly wrong: readonly string[];
}

export async function playFault(fault: Fault, place: Place): Promise<Verdict> {
  const { name, resource, spec, annotations, expected } = fault;
  await fault.prepare?.(place);
  const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  const metadata = { name, namespace: place.namespace, ...(annotations && { annotations }) };
  await place.client.create(resource, { ...typed, metadata, spec });
  if (fault.inject !== undefined) {
    await untilTrue(() => isRunning(fault, place));
    await fault.inject(place);
  }
  const said = expected && (await settledFailure(fault, place));
  const wrongFailure = expected === undefined ? [] : wrongFields(said, expected);
  let answer: Answer | undefined;
  const wrongAnswer = () => (answer === undefined ? ['there is no answer'] : wrongIn(answer, ANSWERS[name]));
  await untilTrue(
    async () => {
      // An API server that is busy may not answer in time: `muster why` is run again.
      answer = (await whyAnswer(fault, place).catch(() => undefined)) ?? answer;
      return wrongFailure.length > 0 || wrongAnswer().length === 0;
    },
    ANSWERS[name] === undefined ? { everyMs: 40_000, limitMs: 60_000 } : WHY,
  );
  // Its pods make room for those of the next one. What is left of the last ones goes with the cluster.
  await place.client.delete(resource, { namespace: place.namespace, name });
  return { fault, said, answer, wrong: [...wrongFailure, ...wrongAnswer()] };
}

async function settledFailure(fault: Fault, place: Place): Promise<JobFailure | undefined> {
  const key = { namespace: place.namespace, name: fault.name };
  let said: JobFailure | undefined;
  let sinceMs = performance.now();
  await untilTrue(async () => {
    const { status = {} }: { status?: JobStatus } = await place.client.get(fault.resource, key);
    if (JSON.stringify(status.firstFailure) !== JSON.stringify(said)) {
      said = status.firstFailure;
      sinceMs = performance.now();
    }
    return said !== undefined && performance.now() - sinceMs > SETTLED_AFTER_MS;
  });
  return said;
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

/** Gives up after a while: what has not been said by then counts as wrong. */
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

function wrongFields(said: JobFailure | undefined, expected: NonNullable<Fault['expected']>): string[] {
  if (said === undefined) return ['status.firstFailure is not set'];
  return Object.entries(expected)
    .filter(([field, value]) => Reflect.get(said, field) !== value)
    .map(([field, value]) => `${field} of status.firstFailure is not ${String(value)}`);
}
