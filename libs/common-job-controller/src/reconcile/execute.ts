/**
 * Does what a plan says, in the plan's order, and decides nothing: answers that change what should be done (a name that
 * is taken, a template that is refused) are remembered for the next pass to plan with.
 */
import { PODS, SERVICES, type KubeObject, type Pod, type Resource, type Service } from '@muster/job-api';
import type { JobManifest } from '../model/training-job.ts';
import type { ChildKind } from './child-kind.ts';
import { adoptChild, releaseChild } from './child-owners.ts';
import { Pass, type Tools } from './pass.ts';
import type { Plan } from './plan.ts';
import { slowStart } from './slow-start.ts';
import { annotatePod, changeChild, createChild, deleteChild, ensureObject, forceDeletePod } from './write-children.ts';
import { isWorkload } from '../workloads/workloads.ts';
import { deleteJob, writeFinalizer, writeStatus } from './write-job.ts';

/** How a pass has ended. */
export interface PassEnd {
  /** Whether an answer, or a change of the job meanwhile, calls for a new plan at once. */
  readonly needsNewPlan: boolean;
  /** What could not be made for the first time: people are to hear of it. */
  readonly notMade: readonly { readonly kind: string; readonly message: string }[];
}

/**
 * Throws the first write that failed for a reason that may pass; all that was done until then is accounted for.
 */
export async function execute(tools: Tools, manifest: JobManifest, plan: Plan, signal: AbortSignal): Promise<PassEnd> {
  const pass = new Pass(tools, manifest, signal, plan.validForMs);
  const pods: ChildKind<Pod> = { resource: PODS, cache: tools.caches.pods, takenAs: 'pods' };
  const services: ChildKind<Service> = { resource: SERVICES, cache: tools.caches.services, takenAs: 'services' };
  const each = <T>(items: readonly T[], write: (item: T) => Promise<void>) =>
    slowStart(items, () => pass.mayGoOn(), write);
  const { adopt, release, remove, ensure, ownedResources, create } = plan;
  const workloads = ownedResources.create.filter(({ resource }) => isWorkload(resource));
  const needed = ownedResources.create.filter(({ resource }) => !isWorkload(resource));
  const steps = [
    () => writeFinalizer(pass, plan.finalizer),
    () => writeStatus(pass, plan),
    () => each(adopt.pods, (pod) => adoptChild(pass, pods, pod)),
    () => each(adopt.services, (service) => adoptChild(pass, services, service)),
    () => each(release, (pod) => releaseChild(pass, pods, pod)),
    () => each(remove.pods, (pod) => deleteChild(pass, pods, pod, plan.removesAsSeen)),
    () => each(plan.forced, (deletion) => forceDeletePod(pass, pods, deletion)),
    () => each(remove.services, (service) => deleteChild(pass, services, service)),
    () => each(ensure, (object) => ensureObject(pass, object)),
    () => each(ownedResources.remove, ({ resource, object }) => deleteChild(pass, childKind(tools, resource), object)),
    () => each(needed, ({ resource, object }) => createChild(pass, childKind(tools, resource), object)),
    () =>
      each(ownedResources.change, ({ resource, object, ...change }) =>
        changeChild(pass, childKind(tools, resource), object, change),
      ),
    // Their pods need all of the above: a name that is taken keeps them from being made.
    () => each(workloads, ({ resource, object }) => createChild(pass, childKind(tools, resource), object)),
    () => each(create.services, (service) => createChild(pass, services, service)),
    () => each(create.pods, (pod) => createChild(pass, pods, pod)),
    () => each(plan.annotate, ({ pod, annotations }) => annotatePod(pass, pods, pod, annotations)),
    () => deleteJob(pass, plan.deleteJob),
  ];
  tools.memory.keepCreateFailures(pass.key, plan.lacks.kinds);
  let notMade: PassEnd['notMade'] = [];
  try {
    for (const step of steps) if (pass.mayGoOn()) await step();
  } finally {
    pass.emitAll();
    notMade = pass.rememberNotMade();
  }
  return { needsNewPlan: pass.needsNewPlan || pass.needsAnotherPass, notMade };
}

function childKind({ caches }: Tools, resource: Resource): ChildKind<KubeObject> {
  const watched = caches.ownedResources.find(({ kind }) => kind.resource === resource);
  if (watched === undefined) throw new Error(`${resource.kind} is planned for a job but not watched`);
  const { isOptional = false } = watched.kind;
  return { resource, cache: watched.cache, isOptional };
}
