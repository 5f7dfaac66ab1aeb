/**
 * Which gang scheduler starts the pods of a job together: the one that its annotation names, else the one that all its roles
 * name as their scheduler, else the operator's. A job that has pods keeps the one that has its group, or whose label they carry.
 */
import { ANNOTATIONS, LABELS } from '@muster/job-api';
import { resourceName } from '@muster/kube';
import type { TrainingJob } from '../model/training-job.ts';
import { ownResources } from '../model/owned-resources.ts';
import type { ReplicaPod } from '../model/replica-pod.ts';
import type { World } from '../world/world.ts';
import { isBusy } from './fixed-size.ts';
import type { GangScheduler } from '../contract/gang-scheduler.ts';
import { knownGangs, type GangSettings } from '../contract/gang-settings.ts';
import type { JobGang } from '../world/plan-context.ts';

/** With which an annotation says that no gang scheduler is to. */
const NONE = 'none';

type Job = Pick<TrainingJob, 'metadata' | 'roles'>;

export function jobGang(
  job: Job,
  settings: GangSettings,
  { ownedResources, absentKinds = [] }: Pick<World, 'ownedResources' | 'absentKinds'>,
  replicas: readonly ReplicaPod[],
): JobGang {
  const named = namedGang(job, settings);
  if (named === 'unknown') return { gang: undefined, gangLack: unknownGang(job, settings) };
  const gang = begunGang(job, named, settings, ownedResources, replicas) ?? named;
  if (gang?.groups === undefined || !absentKinds.includes(gang.groups.resource)) return { gang };
  const gangLack = `${resourceName(gang.groups.resource)}, by which ${gang.name} starts pods together, is not served by this cluster: install ${gang.name}, or name another gang scheduler. The pods are made when it is there`;
  return { gang, gangLack };
}

/** Another one than that which is named now, where pods of it are there. */
function begunGang(
  job: Job,
  named: GangScheduler | undefined,
  settings: GangSettings,
  ownedResources: World['ownedResources'],
  replicas: readonly ReplicaPod[],
): GangScheduler | undefined {
  if (!isBusy(replicas)) return undefined;
  const own = ownResources(job, ownedResources).map(({ kind }) => kind.resource);
  const labels = new Set(replicas.map(({ pod }) => pod?.metadata?.labels?.[LABELS.gangScheduler]));
  const begun = knownGangs(settings).find(({ name, groups }) =>
    groups === undefined ? labels.has(name) : own.includes(groups.resource),
  );
  // Schedulers of several names may have the same kind of groups.
  return begun?.groups !== undefined && begun.groups.resource === named?.groups?.resource ? named : begun;
}

/** What the job's manifest and the operator say. A group of no pods would wait in its queue for nothing. */
export function namedGang({ metadata, roles }: Job, settings: GangSettings): GangScheduler | 'unknown' | undefined {
  const { gang, gangs } = settings;
  if (roles.length === 0) return undefined;
  if (gangs === undefined) return gang;
  const known = knownGangs(settings);
  const wish = metadata.annotations?.[ANNOTATIONS.gangScheduler];
  if (wish === NONE) return undefined;
  if (wish !== undefined) return known.find((each) => nameOf(each) === wish) ?? 'unknown';
  const names = new Set(roles.map(({ template }) => template.spec?.schedulerName || undefined));
  const [name] = names;
  const byScheduler =
    names.size === 1 && name !== undefined ? known.find((each) => each.schedulerName === name) : undefined;
  return byScheduler ?? gang;
}

/** As flags and annotations have it. */
function nameOf({ name, schedulerName }: GangScheduler): string {
  return name === 'scheduler-plugins' ? (schedulerName ?? '') : name;
}

function unknownGang({ metadata }: Job, settings: GangSettings): string {
  const known = knownGangs(settings).map(nameOf);
  const which = known.length === 0 ? 'none' : known.join(', ');
  return `metadata.annotations[${ANNOTATIONS.gangScheduler}]: this operator does not know the gang scheduler ${metadata.annotations?.[ANNOTATIONS.gangScheduler]}; it knows ${which}. Name one of these, or start the operator with --gang-schedulers`;
}
