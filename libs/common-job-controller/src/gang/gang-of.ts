/**
 * The annotation's gang scheduler, otherwise the one that all roles name as scheduler, otherwise the operator's. A job with pods keeps its
 * own.
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

const NONE = 'none';

type Job = Pick<TrainingJob, 'metadata' | 'roles'>;

export function jobGang(
  job: Job,
  settings: GangSettings,
  { ownedResources, absentKinds = [] }: Pick<World, 'ownedResources' | 'absentKinds'>,
  replicas: readonly ReplicaPod[],
): JobGang {
  const wish = namedGang(job, settings);
  const named = wish === 'unknown' ? undefined : wish;
  const gang = currentGang(job, named, settings, ownedResources, replicas) ?? named;
  if (gang === undefined && wish === 'unknown') return { gang, gangShortage: unknownGang(job, settings) };
  if (gang?.groups === undefined || !absentKinds.includes(gang.groups.resource)) return { gang };
  const gangShortage = `The cluster does not serve ${resourceName(gang.groups.resource)}, which ${gang.name} needs to start pods together: install ${gang.name}, or select another gang scheduler. The pods are created when it is served`;
  return { gang, gangShortage };
}

/** The gang scheduler of existing pods, if it differs. */
function currentGang(
  job: Job,
  named: GangScheduler | undefined,
  settings: GangSettings,
  ownedResources: World['ownedResources'],
  replicas: readonly ReplicaPod[],
): GangScheduler | undefined {
  if (!isBusy(replicas)) return undefined;
  const own = ownResources(job, ownedResources).map(({ kind }) => kind.resource);
  const labels = new Set(replicas.map(({ pod }) => pod?.metadata?.labels?.[LABELS.gangScheduler]));
  const current = knownGangs(settings).find(({ name, groups }) =>
    groups === undefined ? labels.has(name) : own.includes(groups.resource),
  );
  // Gang schedulers of different names may share a kind of group.
  return current?.groups !== undefined && current.groups.resource === named?.groups?.resource ? named : current;
}

/** A job without roles has none: a group without pods would wait in its queue forever. */
export function namedGang({ metadata, roles }: Job, settings: GangSettings): GangScheduler | 'unknown' | undefined {
  const { gang, gangs } = settings;
  if (roles.length === 0) return undefined;
  if (gangs === undefined) return gang;
  const known = knownGangs(settings);
  const wish = metadata.annotations?.[ANNOTATIONS.gangScheduler];
  if (wish === NONE) return undefined;
  if (wish !== undefined) return known.find((each) => nameOf(each) === wish) ?? 'unknown';
  const [name, ...others] = new Set(roles.map(({ template }) => template.spec?.schedulerName || undefined));
  if (name === undefined || others.length > 0) return gang;
  return known.find((each) => each.schedulerName === name) ?? gang;
}

function nameOf({ name, schedulerName }: GangScheduler): string {
  return name === 'scheduler-plugins' ? (schedulerName ?? '') : name;
}

function unknownGang({ metadata }: Job, settings: GangSettings): string {
  const known = knownGangs(settings).map(nameOf);
  const name = metadata.annotations?.[ANNOTATIONS.gangScheduler];
  const remedy =
    known.length === 0
      ? 'This operator supports none: start it with --gang-schedulers'
      : `This operator supports: ${known.join(', ')}. Select one of these, or start the operator with --gang-schedulers`;
  return `metadata.annotations[${ANNOTATIONS.gangScheduler}]: unknown gang scheduler ${name}. ${remedy}`;
}
