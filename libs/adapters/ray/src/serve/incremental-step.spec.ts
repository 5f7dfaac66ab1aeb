/** The steps of an incremental upgrade, of a rollback, and after the loss of a cluster. */
import { describe, expect, it } from 'vitest';
import {
  incrementalStep,
  type IncrementalSide,
  type IncrementalStep,
  type IncrementalView,
} from './incremental-step.ts';

const START_MS = 1_000_000;

function side(clusterName: string, [targetCapacity, trafficRoutedPercent]: readonly [number, number]): IncrementalSide {
  return {
    ...{ clusterName, targetCapacity, trafficRoutedPercent },
    ...{ exists: true, isHeadReady: true, isReady: true, hasReadyEndpoint: true },
  };
}

type Shares = readonly [active: readonly [number, number], pending: readonly [number, number]];

function viewOf([active, pending]: Shares, changes: Partial<IncrementalView> = {}): IncrementalView {
  return {
    options: { maxSurgePercent: 20, stepSizePercent: 10, intervalSeconds: 5 },
    active: side('old', active),
    pending: side('new', pending),
    goal: 'Pending',
    ...{ wasRollingBack: false, routeProblem: undefined, nowMs: START_MS },
    ...changes,
  };
}

/** Capacity and traffic, such as `a80/70 p40/30`. */
function text({ active, pending }: Pick<IncrementalStep, 'active' | 'pending'>): string {
  const of = ({ targetCapacity, trafficRoutedPercent }: IncrementalStep['active']) =>
    `${targetCapacity}/${trafficRoutedPercent}`;
  return `a${of(active)} p${of(pending)}`;
}

const DEAD = { isHeadReady: false, isReady: false, hasReadyEndpoint: false };

/** The view of the next run, `afterMs` later. */
function next(view: IncrementalView, step: IncrementalStep, afterMs: number): IncrementalView {
  return {
    ...view,
    active: { ...view.active, ...step.active },
    pending: { ...view.pending, ...step.pending },
    wasRollingBack: step.rollsBack,
    nowMs: view.nowMs + afterMs,
  };
}

interface Life {
  readonly states: readonly string[];
  readonly end: IncrementalStep['end'];
}

/** Runs until the upgrade ends or waits for something else than time. `changed` edits the view before each run. */
function lifeOf(
  start: IncrementalView,
  changed: (view: IncrementalView, run: number) => IncrementalView = (v) => v,
): Life {
  let view = start;
  const states = [text(start)];
  for (let run = 0; run < 200; run++) {
    view = changed(view, run);
    const step = incrementalStep(view);
    if (text(step) !== states.at(-1)) states.push(text(step));
    if (step.end !== undefined) return { states, end: step.end };
    if (step.recheckAfterMs === undefined) return { states, end: undefined };
    view = next(view, step, step.recheckAfterMs);
  }
  throw new Error(`no end: ${states.join(', ')}`);
}

const UPGRADE: Shares = [
  [100, 100],
  [0, 0],
];

function withOptions(maxSurgePercent: number, stepSizePercent: number): Partial<IncrementalView> {
  return { options: { maxSurgePercent, stepSizePercent, intervalSeconds: 5 } };
}

describe('an incremental upgrade', () => {
  it('with a surge of 100 % and steps of 100 % moves everything at once', () => {
    expect(lifeOf(viewOf(UPGRADE, withOptions(100, 100)))).toEqual({
      states: ['a100/100 p0/0', 'a100/100 p100/0', 'a100/0 p100/100', 'a0/0 p100/100'],
      end: 'Promoted',
    });
  });

  it('with a surge of 50 % and steps of 25 % adds capacity, moves traffic, and then removes capacity', () => {
    expect(lifeOf(viewOf(UPGRADE, withOptions(50, 25)))).toEqual({
      states: [
        'a100/100 p0/0',
        'a100/100 p50/0',
        ...['a100/75 p50/25', 'a100/50 p50/50', 'a50/50 p50/50'],
        ...['a50/50 p100/50', 'a50/25 p100/75', 'a50/0 p100/100', 'a0/0 p100/100'],
      ],
      end: 'Promoted',
    });
  });

  it('with a surge of 25 % and steps of 5 % takes twenty steps of traffic', () => {
    const { states, end } = lifeOf(viewOf(UPGRADE, withOptions(25, 5)));
    expect(end).toBe('Promoted');
    expect(states.slice(0, 9)).toEqual([
      'a100/100 p0/0',
      'a100/100 p25/0',
      ...['a100/95 p25/5', 'a100/90 p25/10', 'a100/85 p25/15', 'a100/80 p25/20', 'a100/75 p25/25'],
      ...['a75/75 p25/25', 'a75/75 p50/25'],
    ]);
    const traffic = states.map((state) => /p\d+\/(\d+)/.exec(state)?.[1]);
    expect(new Set(traffic).size - 1).toBe(20);
  });

  it('ends also where a surge does not divide 100', () => {
    expect(lifeOf(viewOf(UPGRADE, withOptions(30, 30)))).toMatchObject({ end: 'Promoted' });
  });

  it('waits for the interval after each step of traffic', () => {
    const migrated = { ...side('new', [20, 10]), lastTrafficMigratedMs: START_MS - 2000 };
    const step = incrementalStep(
      viewOf(
        [
          [100, 90],
          [20, 10],
        ],
        { pending: migrated },
      ),
    );
    expect(step.recheckAfterMs).toBe(3000);
    expect(step.message).toBe(
      'RayCluster old has 100 % capacity, 90 % traffic; RayCluster new has 20 % capacity, 10 % traffic',
    );
    expect(text(step)).toBe('a100/90 p20/10');
  });

  it.each<[what: string, pending: Partial<IncrementalSide>, message: string]>([
    ['the cluster', { exists: false, ...DEAD }, 'waits for RayCluster new, which does not exist yet'],
    ['its head', DEAD, 'waits for the head of RayCluster new'],
    ['its applications', { isReady: false }, 'waits until all applications on RayCluster new are RUNNING'],
    ['an endpoint', { hasReadyEndpoint: false }, 'waits for a ready endpoint of RayCluster new'],
  ])('moves no traffic before %s is ready', (_what, pending, message) => {
    const view = viewOf([
      [100, 100],
      [20, 0],
    ]);
    const step = incrementalStep({ ...view, pending: { ...view.pending, ...pending } });
    expect(text(step)).toBe('a100/100 p20/0');
    expect(step).toMatchObject({ message, rollsBack: false });
    expect(step.recheckAfterMs).toBeUndefined();
  });

  it('does not lower the capacity of the active cluster while the pending one is not ready', () => {
    const view = viewOf([
      [100, 80],
      [20, 20],
    ]);
    const step = incrementalStep({ ...view, pending: { ...view.pending, isReady: false } });
    expect(text(step)).toBe('a100/80 p20/20');
  });

  it('moves nothing while the Gateway does not route', () => {
    for (const shares of [
      UPGRADE,
      [
        [100, 90],
        [20, 10],
      ],
      [
        [100, 80],
        [20, 20],
      ],
    ] as const) {
      const step = incrementalStep(viewOf(shares, { routeProblem: 'Gateway fruit-gateway is not Programmed' }));
      expect(step.message).toContain('Gateway fruit-gateway is not Programmed');
      expect(text(step)).toBe(text(viewOf(shares)));
    }
  });
});

describe('a rollback', () => {
  it.each<[when: string, shares: Shares, states: readonly string[]]>([
    [
      'before any traffic',
      [
        [100, 100],
        [20, 0],
      ],
      ['a100/100 p20/0', 'a100/100 p0/0'],
    ],
    [
      'after the first step',
      [
        [100, 90],
        [20, 10],
      ],
      ['a100/90 p20/10', 'a100/100 p20/0', 'a100/100 p0/0'],
    ],
    [
      'in the middle',
      [
        [60, 55],
        [60, 45],
      ],
      [
        'a60/55 p60/45',
        ...['a60/60 p60/40', 'a60/60 p40/40', 'a80/60 p40/40', 'a80/70 p40/30', 'a80/80 p40/20', 'a80/80 p20/20'],
        ...['a100/80 p20/20', 'a100/90 p20/10', 'a100/100 p20/0', 'a100/100 p0/0'],
      ],
    ],
    [
      'at the end',
      [
        [20, 0],
        [100, 100],
      ],
      [
        'a20/0 p100/100',
        ...['a20/10 p100/90', 'a20/20 p100/80', 'a20/20 p80/80', 'a40/20 p80/80'],
        ...['a40/30 p80/70', 'a40/40 p80/60', 'a40/40 p60/60', 'a60/40 p60/60'],
        ...['a60/50 p60/50', 'a60/60 p60/40', 'a60/60 p40/40', 'a80/60 p40/40'],
        ...['a80/70 p40/30', 'a80/80 p40/20', 'a80/80 p20/20', 'a100/80 p20/20'],
        ...['a100/90 p20/10', 'a100/100 p20/0', 'a100/100 p0/0'],
      ],
    ],
  ])('%s moves capacity and traffic back', (_when, shares, states) => {
    expect(lifeOf(viewOf(shares, { goal: 'Active' }))).toEqual({ states, end: 'RolledBack' });
  });

  it('goes to the active cluster also if the spec is a third one', () => {
    const step = incrementalStep(
      viewOf(
        [
          [100, 90],
          [20, 10],
        ],
        { goal: 'Other' },
      ),
    );
    expect(step.rollsBack).toBe(true);
    expect(step.message).toMatch(/^rolls back: /);
    expect(text(step)).toBe('a100/100 p20/0');
  });

  it('is cancelled if the spec is that of the pending cluster again', () => {
    const { states, end } = lifeOf(
      viewOf(
        [
          [80, 70],
          [40, 30],
        ],
        { goal: 'Active' },
      ),
      (view, run) => (run < 1 ? view : { ...view, goal: 'Pending' }),
    );
    expect(states.slice(0, 4)).toEqual(['a80/70 p40/30', 'a80/80 p40/20', 'a80/70 p40/30', 'a80/60 p40/40']);
    expect(end).toBe('Promoted');
  });

  it('does not depend on the health of the pending cluster', () => {
    const view = viewOf(
      [
        [100, 90],
        [20, 10],
      ],
      { goal: 'Active' },
    );
    expect(text(incrementalStep({ ...view, pending: { ...view.pending, isReady: false } }))).toBe('a100/100 p20/0');
  });

  it('does not depend on a route without traffic for the pending cluster', () => {
    const view = viewOf(
      [
        [100, 100],
        [20, 0],
      ],
      { goal: 'Active', routeProblem: 'the class has no controller' },
    );
    expect(lifeOf(view)).toMatchObject({ end: 'RolledBack' });
  });
});

describe('the loss of one of the clusters', () => {
  const middle: Shares = [
    [60, 55],
    [60, 45],
  ];

  it('gives a pending cluster all requests when the active one is deleted, and promotes it', () => {
    const view = viewOf(middle);
    const lost = { ...view, active: { ...view.active, ...DEAD, exists: false } };
    expect(lifeOf(lost)).toEqual({ states: ['a60/55 p60/45', 'a0/0 p100/100'], end: 'Promoted' });
  });

  it('promotes a pending cluster of another spec when the active one is deleted, instead of a rollback', () => {
    const view = viewOf(middle, { goal: 'Active' });
    const step = incrementalStep({ ...view, active: { ...view.active, ...DEAD, exists: false } });
    expect(step).toMatchObject({ end: 'Promoted', rollsBack: false });
    expect(step.message).toBe('RayCluster old is lost: RayCluster new gets all requests');
  });

  it('gives the active cluster all requests at once when the pending one is dead, and starts again later', () => {
    const view = viewOf(middle);
    const { states } = lifeOf({ ...view, pending: { ...view.pending, ...DEAD } });
    expect(states).toEqual(['a60/55 p60/45', 'a100/100 p0/0', 'a100/100 p20/0']);
  });

  it('ends a rollback when the pending cluster is dead', () => {
    const view = viewOf(middle, { goal: 'Active' });
    expect(lifeOf({ ...view, pending: { ...view.pending, ...DEAD } })).toEqual({
      states: ['a60/55 p60/45', 'a100/100 p0/0'],
      end: 'RolledBack',
    });
  });

  it('moves requests from a dead cluster although the Gateway reports a problem', () => {
    const view = viewOf(middle, { routeProblem: 'HTTPRoute fruit-httproute is not ResolvedRefs' });
    const step = incrementalStep({ ...view, active: { ...view.active, ...DEAD } });
    expect(text(step)).toBe('a0/0 p100/100');
    expect(step.message).toBe('no replica of RayCluster old is ready: RayCluster new gets all requests');
  });

  it('starts all replicas of a pending cluster that does not serve yet, and leaves it the requests later', () => {
    const view = viewOf([
      [100, 100],
      [20, 0],
    ]);
    const starting = { ...view.pending, isReady: false, hasReadyEndpoint: false };
    const dead = { ...view, active: { ...view.active, ...DEAD }, pending: starting };
    const step = incrementalStep(dead);
    expect(text(step)).toBe('a100/100 p100/0');
    const ready = { ...next(dead, step, 2000), pending: side('new', [100, 0]) };
    expect(text(incrementalStep(ready))).toBe('a0/0 p100/100');
  });

  it('moves nothing while neither cluster serves', () => {
    const view = viewOf(middle);
    const dead = { ...view, active: { ...view.active, ...DEAD }, pending: { ...view.pending, ...DEAD } };
    const step = incrementalStep(dead);
    expect(text(step)).toBe('a60/55 p60/45');
    expect(step.recheckAfterMs).toBeUndefined();
  });

  it('goes on with its steps when only the head of the active cluster is lost: its workers serve', () => {
    const view = viewOf(middle);
    const step = incrementalStep({ ...view, active: { ...view.active, isHeadReady: false, isReady: false } });
    expect(text(step)).toBe('a60/45 p60/55');
  });
});
