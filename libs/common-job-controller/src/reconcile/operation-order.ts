/** The order in which a pass does its operations, and which of them it does side by side. */
import { ENDPOINT_SLICES, INGRESSES, PODS, ROLE_BINDINGS, SERVICES } from '@muster/job-api';
import { isWorkload } from '../workloads/workloads.ts';
import type { OnResource, Operation } from './plan.ts';

const ofPod = ({ resource, isOwnedResource = false }: OnResource) => resource === PODS && !isOwnedResource;
const ofService = ({ resource, isOwnedResource = false }: OnResource) => resource === SERVICES && !isOwnedResource;
const ofWorkload = ({ resource }: OnResource) => isWorkload(resource);
/** Kinds whose objects refer to Services, roles and accounts of the job. */
const REFERRING = new Set([ROLE_BINDINGS, ENDPOINT_SLICES, INGRESSES].map(({ kind }) => kind));
const ofReferring = ({ resource }: OnResource) => REFERRING.has(resource.kind);
const ofOther = (operation: OnResource) => ![ofPod, ofService, ofWorkload, ofReferring].some((is) => is(operation));

/** What one phase of a pass consists of: operations of a name, on all resources or on some. The first that fits counts. */
const PHASES = [
  { op: 'addFinalizer' },
  { op: 'status' },
  { op: 'event' },
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
  readonly op: Operation['op'];
  readonly on?: (operation: OnResource) => boolean;
}

/** An operation whose name is in no phase does not compile. */
type Placed = Operation & { readonly op: (typeof PHASES)[number]['op'] };

function phaseOf(operation: Placed): number {
  return PHASES.findIndex(({ op, on }: Phase) => op === operation.op && (on === undefined || isOn(operation, on)));
}

function isOn(operation: Operation, on: NonNullable<Phase['on']>): boolean {
  return 'resource' in operation && on(operation);
}

/** `operations` phase by phase; within a phase they stay as they came. */
export function inOrder(operations: readonly Operation[]): Operation[] {
  return operations.toSorted((a, b) => phaseOf(a) - phaseOf(b));
}

/** Successive operations of one phase: those that may be done side by side. */
export function batchesOf(operations: readonly Operation[]): (readonly [Operation, ...Operation[]])[] {
  const batches: [Operation, ...Operation[]][] = [];
  for (const operation of operations) {
    const last = batches.at(-1);
    if (last !== undefined && phaseOf(last[0]) === phaseOf(operation)) last.push(operation);
    else batches.push([operation]);
  }
  return batches;
}
