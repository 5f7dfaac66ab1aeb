import { ENDPOINT_SLICES, INGRESSES, PODS, ROLE_BINDINGS, SERVICES } from '@muster/job-api';
import { isWorkload } from '../workloads/workloads.ts';
import type { OnResource, Write } from '../model/write.ts';

const ofPod = ({ resource, isOwnedResource = false }: OnResource) => resource === PODS && !isOwnedResource;
const ofService = ({ resource, isOwnedResource = false }: OnResource) => resource === SERVICES && !isOwnedResource;
const ofWorkload = ({ resource }: OnResource) => isWorkload(resource);
/** Kinds whose objects refer to the job's Services, roles and ServiceAccounts. */
const REFERRING = new Set([ROLE_BINDINGS, ENDPOINT_SLICES, INGRESSES].map(({ kind }) => kind));
const ofReferring = ({ resource }: OnResource) => REFERRING.has(resource.kind);
const ofOther = (write: OnResource) => ![ofPod, ofService, ofWorkload, ofReferring].some((is) => is(write));

/** The first match counts. */
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
  // Referenced objects first (`object-references.ts`): a name conflict ends the run.
  { op: 'create', on: ofOther },
  { op: 'patch' },
  { op: 'create', on: ofService },
  { op: 'create', on: ofReferring },
  { op: 'create', on: ofWorkload },
  { op: 'create', on: ofPod },
  // After all objects that the pods mount are updated.
  { op: 'annotate' },
  { op: 'call' },
  { op: 'removeFinalizer' },
  { op: 'deleteJob' },
] as const satisfies readonly Phase[];

interface Phase {
  readonly op: Write['op'];
  readonly on?: (write: OnResource) => boolean;
}

/** Makes the compiler reject a verb without a phase. */
type Placed = Write & { readonly op: (typeof PHASES)[number]['op'] };

function phaseOf(write: Placed): number {
  const isOn = (on: NonNullable<Phase['on']>) => 'resource' in write && on(write);
  return PHASES.findIndex(({ op, on }: Phase) => op === write.op && (on === undefined || isOn(on)));
}

export function inOrder(writes: readonly Write[]): Write[] {
  return writes.toSorted((a, b) => phaseOf(a) - phaseOf(b));
}

/** One batch per phase, of writes that are in order. */
export function batchesOf(writes: readonly Write[]): (readonly Write[])[] {
  return [...Map.groupBy(writes, phaseOf).values()];
}
