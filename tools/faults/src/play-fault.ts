/** Plays one fault, and reads what the job's status says of it once that says no more. */
import { setTimeout as sleep } from 'node:timers/promises';
import { apiVersionOf, PODS, type JobFailure, type JobStatus } from '@muster/job-api';
import { isKubeError } from '@muster/kube';
import type { Fault, Place } from './fault.ts';

const ASK_EVERY_MS = 1000;
const LIMIT_MS = 400_000;
/** What is still to be told of the same incident comes within this time. */
const SETTLED_AFTER_MS = 8000;

export interface Verdict {
  readonly fault: Fault;
  /** Undefined: the status has said nothing in time. */
  readonly said: JobFailure | undefined;
  readonly isRight: boolean;
}

export async function playFault(fault: Fault, place: Place): Promise<Verdict> {
  const { name, resource, spec } = fault;
  await fault.prepare?.(place);
  const typed = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  await place.client.create(resource, { ...typed, metadata: { name, namespace: place.namespace }, spec });
  if (fault.inject !== undefined) {
    await untilTrue(() => isRunning(fault, place));
    await fault.inject(place);
  }
  const said = await settledFailure(fault, place);
  return { fault, said, isRight: said !== undefined && isAsExpected(said, fault.expected) };
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

async function isRunning({ name, expected }: Fault, { client, namespace }: Place): Promise<boolean> {
  try {
    const { status } = await client.get(PODS, { namespace, name: expected.pod });
    return status?.phase === 'Running';
  } catch (error) {
    if (isKubeError(error, 'NotFound')) return false;
    throw new Error(`${name}: ${String(error)}`, { cause: error });
  }
}

/** Gives up after a while: what has not been said by then counts as wrong. */
async function untilTrue(holds: () => Promise<boolean>): Promise<void> {
  const endMs = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > endMs) return;
    await sleep(ASK_EVERY_MS);
  }
}

function isAsExpected(said: JobFailure, expected: Fault['expected']): boolean {
  return Object.entries(expected).every(([field, value]) => Reflect.get(said, field) === value);
}
