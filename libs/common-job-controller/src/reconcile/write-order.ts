/** The order in which a reconcile run makes its writes, and which of them it makes side by side. */
import { ENDPOINT_SLICES, INGRESSES, PODS, ROLE_BINDINGS, SERVICES } from '@muster/job-api';
import { isWorkload } from '../workloads/workloads.ts';
import type { OnResource, Write } from '../model/write.ts';

const ofPod = ({ resource, isOwnedResource = false }: OnResource) => resource === PODS && !isOwnedResource;
const ofService = ({ resource, isOwnedResource = false }: OnResource) => resource === SERVICES && !isOwnedResource;
const ofWorkload = ({ resource }: OnResource) => isWorkload(resource);
/** Kinds whose objects refer to Services, roles and accounts of the job. */
const REFERRING = new Set([ROLE_BINDINGS, ENDPOINT_SLICES, INGRESSES].map(({ kind }) => kind));
const ofReferring = ({ resource }: OnResource) => REFERRING.has(resource.kind);
const ofOther = (write: OnResource) => ![ofPod, ofService, ofWorkload, ofReferring].some((is) => is(write));

/** The phases: writes of a name, to all resources or to some. The first that fits counts. */
const PHASES = [
  { op: 'addFinalizer' },
  { op: 'adopt', on: ofPod },
  { op: 'adopt' },
  { op: 'release' },
  { op: 'delete', on: ofPod },
  { op: 'forceDelete' },
  { op: 'delete', on: ofService },
  { op: 'ensure' },
  { op: 'delete' },
  // An object comes after those that it refers to (`dependencies.ts`): a name that somebody else holds ends the run before it.
  { op: 'create', on: ofOther },
  { op: 'patch' },
  { op: 'create', on: ofService },
  { op: 'create', on: ofReferring },
  { op: 'create', on: ofWorkload },
  { op: 'create', on: ofPod },
  // After all that the pods mount has been changed.
  { op: 'annotate' },
  { op: 'call' },
  { op: 'removeFinalizer' },
  { op: 'deleteJob' },
] as const satisfies readonly Phase[];

interface Phase {
  readonly op: Write['op'];
  readonly on?: (write: OnResource) => boolean;
}

/** A write whose name is in no phase does not compile. */
type Placed = Write & { readonly op: (typeof PHASES)[number]['op'] };

function phaseOf(write: Placed): number {
  return PHASES.findIndex(({ op, on }: Phase) => op === write.op && (on === undefined || isOn(write, on)));
}

function isOn(write: Write, on: NonNullable<Phase['on']>): boolean {
  return 'resource' in write && on(write);
}

/** `writes` phase by phase; within a phase they stay in their order. */
export function inOrder(writes: readonly Write[]): Write[] {
  return writes.toSorted((a, b) => phaseOf(a) - phaseOf(b));
}

/** Successive writes of one phase: those that may be made side by side. */
export function batchesOf(writes: readonly Write[]): (readonly [Write, ...Write[]])[] {
  const batches: [Write, ...Write[]][] = [];
  for (const write of writes) {
    const last = batches.at(-1);
    if (last !== undefined && phaseOf(last[0]) === phaseOf(write)) last.push(write);
    else batches.push([write]);
  }
  return batches;
}
