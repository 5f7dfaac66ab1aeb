import { SECRETS, type KubeObject } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import {
  plainAdapter,
  type PlainOptions,
  plainService,
  type PlainWorld,
  SETTINGS,
  worldOf,
} from '@muster/common-job-controller/testing';
import {
  type FrameworkAdapter,
  gangSchedulerNamed,
  type OwnedKind,
  planJob,
  planOrFailure,
  type PlanSettings,
  WORKLOAD_KIND,
  type World,
} from '@muster/common-job-controller';
import { lineOf, plannedRunOf, recordIn, type RecordedKind } from './run-record.ts';
import { Replay } from './replay.ts';
import { taggedJson } from './tagged-json.ts';

const plainOf = ({ madeWith }: RecordedKind) => plainAdapter(madeWith as PlainOptions);

function line(adapter: FrameworkAdapter, world: World, settings: PlanSettings = SETTINGS): string {
  return lineOf({ adapter, world, settings, plan: planJob(adapter, world, settings) });
}

function plainLine(plain: PlainWorld, settings?: PlanSettings): string {
  return line(plainAdapter(plain), worldOf(plain), settings);
}

function replayOf(lines: readonly string[], adapterOf: (kind: RecordedKind) => FrameworkAdapter | undefined = plainOf) {
  const replay = new Replay(adapterOf);
  lines.forEach((each, at) => replay.add(each, `runs.jsonl:${at + 1}`));
  return replay;
}

const differences = (replay: Replay) => replay.groups.map(({ what, count }) => `${count} ${what}`);

const FULL: PlainWorld = {
  workers: 3,
  runPolicy: { activeDeadlineSeconds: 600 },
  pods: [{ index: 0 }, { index: 1, phase: 'Running' }],
  services: [plainService()],
  emittedEvents: ['a', 'b'],
  conflictingPods: new Map([['plain-worker-2', 'Pod plain-worker-2 is of another job']]),
  lostNodes: new Map([['node-1', 1]]),
  stateAges: new Map([['deletion of uid', 12]]),
  probeResults: new Map([['progress', { answer: { status: 200, body: { step: 1 } }, failures: 0, ageMs: 5 }]]),
  writeFailures: [
    {
      ...{
        verb: 'Create',
        kind: 'Pod',
        names: new Set(['plain-worker-2']),
        isOptional: false,
        generation: 1,
        waitMs: 100,
      },
      ...{ reason: 'WriteRefused' as never, message: 'a quota is used up' },
    },
  ],
};

describe('a recorded run', () => {
  it('restores the same World and settings', () => {
    const settings = {
      ...SETTINGS,
      writesPerRun: Infinity,
      gang: gangSchedulerNamed('volcano'),
      gangs: [gangSchedulerNamed('my-scheduler'), gangSchedulerNamed('kubernetes')].flatMap((each) => each ?? []),
      kueue: true,
    };
    const adapter = plainAdapter(FULL);
    const workload = { kind: WORKLOAD_KIND as OwnedKind, object: { metadata: { name: 'of-kueue' } } };
    const world = { ...worldOf(FULL), ownedResources: [workload], absentKinds: [WORKLOAD_KIND.resource] };
    const run = plannedRunOf(adapter, recordIn(line(adapter, world, settings)));
    expect(run.world).toEqual(world);
    // Planning compares kinds by identity.
    expect(run.world.ownedResources[0]?.kind).toBe(WORKLOAD_KIND);
    expect(run.world.absentKinds?.[0]).toBe(WORKLOAD_KIND.resource);
    expect(run.settings.writesPerRun).toBe(Infinity);
    expect(run.settings.gang?.name).toBe('volcano');
    expect(run.settings.gangs?.map(({ schedulerName }) => schedulerName)).toEqual(
      settings.gangs.map(({ schedulerName }) => schedulerName),
    );
  });

  it('keeps the fact that the operator does not know the existing gang schedulers', () => {
    const record = recordIn(plainLine({}));
    expect(plannedRunOf(plainAdapter({}), record).settings).not.toHaveProperty('gangs');
  });

  it('contains no data of a Secret, owned or created, and its replay is the same', () => {
    const kind: OwnedKind = { resource: SECRETS, endsWithRun: false, trim: (object) => object };
    const secret = { metadata: { name: 'keys', namespace: 'team' }, data: { key: 'aHVzaA==' } } as KubeObject;
    const desired = { resource: SECRETS, object: { ...secret, metadata: { name: 'more' } }, change: () => undefined };
    const ensured = { resource: SECRETS, object: secret, complete: () => secret, serves: () => true };
    const adapter: FrameworkAdapter = {
      ...plainAdapter({}),
      ownedResources: { kinds: [kind], desired: () => [desired], ensured: () => [ensured] },
    };
    const world = { ...worldOf({}), ownedResources: [{ kind, object: secret }] };
    const recorded = line(adapter, world);
    expect(recorded).not.toContain('aHVzaA==');
    expect(recordIn(recorded).plan.writes.map(({ op, kind: of }) => `${op} ${of}`)).toEqual(
      expect.arrayContaining(['create Secret', 'ensure Secret']),
    );
    expect(differences(replayOf([recorded], () => adapter))).toEqual([]);
  });
});

describe('Replay', () => {
  it('finds no difference if the plan is the same', () => {
    const lines = [
      plainLine({}),
      plainLine(FULL),
      plainLine({ pods: [{ phase: 'Running' }] }),
      plainLine({ pods: [{ phase: 'Failed', exit: 137 }] }),
      plainLine({ pods: [{ phase: 'Succeeded' }] }),
      plainLine({ runPolicy: { suspend: true }, pods: [{}] }),
    ];
    const replay = replayOf(lines);
    expect(differences(replay)).toEqual([]);
    expect(replay.runs).toBe(lines.length);
    expect(replay.unreadable).toEqual(new Map());
  });

  it('replays a run whose planning threw', () => {
    const broken: FrameworkAdapter = {
      ...plainAdapter({}),
      outcome() {
        throw new Error('no rule has seen this');
      },
    };
    const world = worldOf({ pods: [{ phase: 'Running' }] });
    const { plan } = planOrFailure(broken, world, SETTINGS);
    const recorded = lineOf({ adapter: broken, world, settings: SETTINGS, plan });
    expect(recordIn(recorded).plan.events.map(({ reason }) => reason)).toEqual(['PlanningFailed']);
    expect(differences(replayOf([recorded], () => broken))).toEqual([]);
    expect(differences(replayOf([recorded]))).toContain('1 event PlanningFailed is not emitted');
  });

  it('groups the differences, each with a count and one example', () => {
    const running = [1, 2].map((now) => plainLine({ now, pods: [{ phase: 'Running' }] }));
    const replay = replayOf(running, (kind) => ({
      ...plainOf(kind),
      outcome: () => ({ phase: 'Running', message: 'works' }),
    }));
    expect([replay.runs, replay.differing]).toEqual([2, 2]);
    expect(differences(replay)).toEqual([
      '2 status write status conditions[] message',
      '2 event PlainJobRunning differs',
    ]);
    expect(replay.groups[0]?.example).toMatchObject({ place: 'runs.jsonl:1', recorded: 'runs', replayed: 'works' });
  });

  it.each<[string, Partial<PlainOptions>, string]>([
    ['a write that is missing', { workers: 1 }, '1 create Pod is missing'],
    ['a write that is new', { workers: 3 }, '1 create Pod is new'],
  ])('reports %s', (_what, change, expected) => {
    const replay = replayOf([plainLine({ workers: 2 })], ({ madeWith }) =>
      plainAdapter({ ...(madeWith as PlainOptions), roles: [{ name: 'Worker', replicas: change.workers ?? 1 }] }),
    );
    expect(differences(replay)).toContain(expected);
  });

  it('reports another requeue time', () => {
    const { plan, ...rest } = recordIn(plainLine({ runPolicy: { activeDeadlineSeconds: 60 } }));
    expect(differences(replayOf([taggedJson({ ...rest, plan: { ...plan, lookAgainMs: 1 } })]))).toEqual([
      '1 time of the next run',
    ]);
  });

  it('reads the name that older records have for an object that is invalid', () => {
    const plain = { workers: 2 };
    const invalidObject = { generation: 1, message: 'Pod "plain-worker-0" is invalid: spec.volumes[0].name' };
    const adapter = plainAdapter(plain);
    const text = line(adapter, { ...worldOf(plain), invalidObject });
    const older = text.replace('"invalidObject":', '"refusal":');
    expect(older).not.toBe(text);
    expect(differences(replayOf([older]))).toEqual([]);
  });

  it('reports writes in another order', () => {
    const { plan, ...rest } = recordIn(plainLine({ workers: 2 }));
    const text = taggedJson({ ...rest, plan: { ...plan, writes: plan.writes.toReversed() } });
    expect(differences(replayOf([text]))).toEqual(['1 order of writes']);
  });

  it('reports invalid lines and unknown kinds, and continues', () => {
    const good = plainLine({});
    const replay = replayOf([good.slice(0, 50), '{"version":7}', good]);
    expect([...replay.unreadable.values()]).toEqual([
      { count: 1, place: 'runs.jsonl:1' },
      { count: 1, place: 'runs.jsonl:2' },
    ]);
    expect(replay.runs).toBe(1);
    expect(replayOf([good], () => undefined).unknownKinds).toEqual(
      new Map([['plainjobs.test.muster.dev of plain', 1]]),
    );
  });
});
