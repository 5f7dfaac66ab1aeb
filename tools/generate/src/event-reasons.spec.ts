import { EVENT_REASONS, FRAMEWORKS, volcanoJobDefinition, type KindDefinition } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { eventReasonsOf } from './event-reasons.ts';
import { adapterOf } from './kind-adapters.ts';

const DEFINITIONS: readonly KindDefinition[] = [
  ...Object.values<readonly KindDefinition[]>(FRAMEWORKS).flat(),
  volcanoJobDefinition,
];

const reasonsOf = (kind: string) => {
  const definition = DEFINITIONS.find(({ resource }) => resource.kind === kind);
  if (definition === undefined) throw new Error(`there is no kind ${kind}`);
  return Object.keys(eventReasonsOf(definition, adapterOf(definition)));
};

const absent = (kind: string) => {
  const present = reasonsOf(kind);
  return Object.keys(EVENT_REASONS).filter((reason) => !present.includes(reason));
};

const OF_RAY_SERVICES = [
  'UpdatedServeApplications',
  'UpdatedServeTargetCapacity',
  'FailedToUpdateServeApplications',
  'RayServiceInitializingTimeout',
];
const OF_RAY_JOBS = [
  'SubmitterLost',
  'NoDeletionRuleMatched',
  'RayJobNotStopped',
  'MissedSchedule',
  ...OF_RAY_SERVICES,
];
const OF_COMMANDS = ['CommandIssued', 'CommandIgnored', 'ManagedByOther'];
const OF_ELASTIC_JOBS = ['ShrunkToCapacity', 'RestoredToRequestedSize', 'WorldSizeOutdated'];

describe('the reference page', () => {
  it('of a RayJob lists only the events that a job without pods of its own can have', () => {
    expect(reasonsOf('RayJob')).toEqual([
      'QueuedByKueue',
      'PodStuckTerminating',
      'InvalidChange',
      'FailedUpdateStatus',
      'FailedDeleteJob',
      'SubmitterLost',
      'NoDeletionRuleMatched',
      'RayJobNotStopped',
      'AnnotationIgnored',
      'APIServerWarning',
      'SpecWarning',
      'WaitingForDeletion',
      'NameTaken',
      'ReferenceNotFound',
      'PlanningFailed',
    ]);
  });

  it('of a RayCronJob lists missed schedules, and no events of pods', () => {
    expect(reasonsOf('RayCronJob')).toContain('MissedSchedule');
    expect(
      reasonsOf('RayCronJob').filter((reason) => reason.includes('Pod') && reason !== 'PodStuckTerminating'),
    ).toEqual([]);
  });

  it('of a RayService lists submissions to Ray Serve, and no events of pods', () => {
    const reasons = reasonsOf('RayService');
    expect(reasons).toEqual(expect.arrayContaining(OF_RAY_SERVICES));
    expect(reasons.filter((reason) => reason.includes('Pod') && reason !== 'PodStuckTerminating')).toEqual([]);
  });

  it.each([
    ['PyTorchJob', [...OF_RAY_JOBS, ...OF_COMMANDS]],
    ['TFJob', [...OF_RAY_JOBS, ...OF_COMMANDS, ...OF_ELASTIC_JOBS, 'RestartedWithoutRejoining']],
    ['MXJob', [...OF_RAY_JOBS, ...OF_COMMANDS, ...OF_ELASTIC_JOBS]],
    ['MPIJob', [...OF_RAY_JOBS, ...OF_COMMANDS, ...OF_ELASTIC_JOBS, 'RestartedWithoutRejoining', 'ScaleDownPodKept']],
  ])('of a %s lists all events but those of other kinds', (kind, others) => {
    expect(absent(kind).toSorted()).toEqual([...others, 'ReferenceNotFound'].toSorted());
  });

  it.each(['RayCluster', 'Job'])('of a %s lists no event about fields that the kind does not have', (kind) => {
    const ofFields = ['WaitingForRole', 'NoProgress', 'ProgressUnknown', 'ForcedDeletePod', 'NotRestartedInPlace'];
    expect(reasonsOf(kind).filter((reason) => ofFields.includes(reason))).toEqual([]);
  });

  it('of a Volcano Job lists the events about its commands and its other controller', () => {
    expect(reasonsOf('Job')).toEqual(expect.arrayContaining(OF_COMMANDS));
  });

  it('lists each event on some page', () => {
    const listed = new Set(DEFINITIONS.flatMap(({ resource }) => reasonsOf(resource.kind)));
    expect(Object.keys(EVENT_REASONS).filter((reason) => !listed.has(reason))).toEqual([]);
  });
});
