import type { Event, JobCondition, Pod } from '@muster/job-api';
import { podsOfRoles, specsOfRoles } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { KINDS } from '../kinds.ts';
import { explain, withLog, type Explanation } from './explanation.ts';
import { jobView } from './job-view.ts';
import { KUEUE_MISSING } from './queue-trouble.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const kind = KINDS.find(({ definition }) => definition.resource.kind === 'PyTorchJob');

interface Given {
  status?: object;
  spec?: object;
  labels?: Record<string, string>;
  pods?: (pods: Pod[]) => Pod[];
  events?: Event[];
  podGroup?: string;
  queue?: string[];
  operator?: { leads: boolean; note: string } | undefined;
  activity?: string[];
}

function explained({
  status,
  spec = {},
  labels = {},
  pods = (made) => made,
  events = [],
  podGroup,
  queue = [],
  operator,
  activity = [],
}: Given): Explanation {
  if (kind === undefined) throw new Error('PyTorchJob is no kind');
  const roles = { Worker: 'RR' };
  const manifest = {
    ...{ apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' },
    metadata: { name: 'mnist', namespace: 'team', uid: 'uid', labels },
    spec: { runPolicy: { suspend: false }, pytorchReplicaSpecs: specsOfRoles('pytorch', roles), ...spec },
    ...(status && { status }),
  };
  const view = jobView(kind, manifest, pods(podsOfRoles(manifest, 'pytorch', roles)));
  const known = { view, events, operator, activity, queue, nowMs: NOW, ...(podGroup !== undefined && { podGroup }) };
  return withoutRepetition(explain(known));
}

/** Fails for a page that prints a text twice. */
function withoutRepetition(explanation: Explanation): Explanation {
  const { headline, findings } = explanation;
  // `exit code 1` may be part of a sentence.
  const texts = [headline, ...findings.flatMap(({ title, details }) => [title, ...details])].filter(
    (text) => text.length > 20,
  );
  const twice = texts.filter((text, at) => texts.some((other, where) => where !== at && other.includes(text)));
  expect(twice).toEqual([]);
  return explanation;
}

/** The explanation as one text. */
function textOf({ headline, findings, next }: Explanation): string {
  return [headline, ...findings.flatMap(({ title, details }) => [title, ...details]), ...next].join('\n');
}

const condition = (type: string, reason: string, message: string) => ({
  ...{ type, status: 'True', reason, message, lastTransitionTime: '2026-01-01T00:30:00Z' },
});
const state = (type: string, ...conditions: object[]) => ({ state: type, conditions });

/** Adds a status to the pod at `at`. */
const withStatus = (at: number, status: object) => (pods: Pod[]) =>
  pods.map((pod, index) => (index === at ? { ...pod, status: { ...pod.status, ...status } } : pod));
const container = (each: object) => ({
  containerStatuses: [{ name: 'pytorch', image: '', imageID: '', ready: false, restartCount: 0, ...each }],
});
const ended = (exitCode: number, finishedAt: string, reason = 'Error') => ({
  terminated: { exitCode, reason, finishedAt },
});
const warning = (reason: string, note: string): Event => ({
  ...{ type: 'Warning', reason, note, eventTime: '2026-01-01T00:59:00.000000Z' },
  regarding: { kind: 'PyTorchJob', name: 'mnist' },
});

const SPEC_FINDING = 'Warnings about its spec:';

const QUOTA =
  'pods "mnist-worker-1" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=1, limited: pods=1';

describe('why a job waits', () => {
  it('prints a long message once, under a headline that has only its title', () => {
    const message = `create pods "team/mnist-worker-0": ${'the admission webhook refused it. '.repeat(20)}`;
    expect(explained({ status: state('Created', condition('ReplicaFailure', 'FailedCreate', message)) })).toMatchObject(
      {
        headline: 'is waiting: Created, 0/2 ready. An object of the job cannot be created (FailedCreate):',
        findings: [{ title: '', details: [message, 'The operator retries.'] }],
      },
    );
  });

  it('prints a short message in the headline, and only the rest of the finding under it', () => {
    const message = 'create pods "team/mnist-worker-0": refused';
    expect(explained({ status: state('Created', condition('ReplicaFailure', 'FailedCreate', message)) })).toMatchObject(
      {
        headline: `is waiting: Created, 0/2 ready. An object of the job cannot be created (FailedCreate): ${message}`,
        findings: [{ title: '', details: ['The operator retries.'] }],
      },
    );
  });

  it.each<[string, Given, readonly string[]]>([
    [
      'no operator has reconciled it',
      {},
      ['no operator has reconciled it yet', 'name=muster-pytorch-elastic', 'muster preflight'],
    ],
    [
      'another controller runs it',
      { spec: { runPolicy: { suspend: false, managedBy: 'kueue.x-k8s.io/multikueue' } } },
      ['spec.runPolicy.managedBy is kueue.x-k8s.io/multikueue'],
    ],
    ['it is suspended', { status: state('Suspended') }, ['is suspended: it has no pods until it is resumed', 'resume']],
    [
      'it is in a queue',
      { status: state('Suspended'), labels: { 'kueue.x-k8s.io/queue-name': 'gpus' } },
      ['The job is in the LocalQueue gpus.', 'kubectl get workloads'],
    ],
    [
      'it is in a queue, and Kueue is not installed',
      {
        status: state('Suspended'),
        labels: { 'kueue.x-k8s.io/queue-name': 'gpus' },
        queue: [KUEUE_MISSING],
      },
      [`${KUEUE_MISSING}\nresume`],
    ],
    [
      'a quota is used up',
      { status: state('Created', condition('ReplicaFailure', 'FailedCreate', QUOTA)) },
      ['is waiting: Created', QUOTA, 'or raise the quota', 'kubectl describe resourcequota'],
    ],
    [
      'a quota is used up, under an operator that reports it only in events',
      { status: state('Created'), events: [warning('FailedCreatePod', QUOTA)] },
      [QUOTA, 'kubectl describe resourcequota'],
    ],
    [
      'no node fits a pod',
      {
        status: state('Created'),
        pods: withStatus(1, {
          phase: 'Pending',
          conditions: [
            { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' },
          ],
        }),
      },
      ['worker-1 does not start:\nUnschedulable: 0/3 nodes are available', 'kubectl describe nodes'],
    ],
    [
      'a role waits for another',
      {
        status: state('Created'),
        spec: { pytorchReplicaSpecs: specsOfRoles('pytorch', { Master: 'P', Worker: 'RR' }) },
        events: [warning('WaitingForRole', 'No pods of Master are created before 2 of Worker are Ready (now 1).')],
      },
      [
        'is waiting: Created',
        'The role Master is waiting:\nNo pods of Master are created before 2 of Worker are Ready (now 1).',
        'events',
      ],
    ],
    [
      'a role waits for another in its pods',
      {
        status: state('Created'),
        pods: withStatus(1, {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'wait-for-db', state: ended(0, '2026-01-01T00:50:00Z') },
            { name: 'wait-for-worker', state: { running: {} } },
          ],
        }),
      },
      [
        'is waiting: Created',
        'worker-1 waits for other pods:\nThe init container wait-for-worker ends when those pods accept connections.',
        'events',
      ],
    ],
    [
      'the cluster has no capacity for all of its workers',
      {
        status: {
          ...state('Running'),
          elastic: { wanted: 4, granted: 2, reason: 'Unschedulable', message: 'No node has room for the others.' },
        },
      },
      [
        'It has 2 of 4 requested workers:\nNo node has room for the others.',
        'Free resources or add nodes: the job then gets its workers at the next attempt',
      ],
    ],
    [
      'an image cannot be pulled',
      {
        status: state('Created'),
        pods: withStatus(0, {
          phase: 'Pending',
          ...container({ state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }),
        }),
      },
      ['worker-0 does not start:\nImagePullBackOff: no such image'],
    ],
    [
      'its gang is not scheduled',
      { status: state('Created'), podGroup: 'PodGroup mnist: Pending' },
      ['Its pod group is not scheduled.\nPodGroup mnist: Pending'],
    ],
    [
      'its progress is unknown',
      {
        status: {
          ...state('Running', {
            ...condition('ProgressKnown', 'ProgressUnknown', 'no replica reports it'),
            status: 'False',
          }),
          ready: '2/2',
        },
      },
      ['is Running, 2/2 ready. Its progress is unknown. no replica reports it'],
    ],
    [
      'its progress is unknown, and an older message reports that it makes none',
      {
        status: {
          ...state('Running', {
            ...condition('ProgressKnown', 'ProgressUnknown', 'no replica reports it'),
            status: 'False',
          }),
          progress: { step: 3, message: 'no progress for 60 s' },
        },
      },
      ['Its progress is unknown.\nno replica reports it'],
    ],
    [
      'it makes no progress',
      { status: { ...state('Running'), progress: { step: 3, message: 'no progress for 60 s' } } },
      ['It makes no progress.\nno progress for 60 s', 'logs --all'],
    ],
    [
      'it makes no progress, and one replica is behind',
      {
        status: {
          ...state('Running'),
          progress: {
            step: 3,
            message: 'no progress for 60 s, since 2026-01-01T00:30:00Z: mnist-worker-1 (Worker 1) is behind, at step 2',
            behind: { role: 'Worker', index: 1, pod: 'mnist-worker-1' },
          },
        },
      },
      [
        'It has made no progress for 60 s, since 2026-01-01T00:30:00Z: mnist-worker-1 (Worker 1) is behind, at step 2',
        'logs --replica worker-1\nTo have it restarted when it hangs, add a rule with onNoProgress',
      ],
    ],
    [
      'a pod does not terminate',
      {
        status: state('Restarting'),
        pods: (pods) =>
          pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })),
      },
      ['worker-0, worker-1 are still terminating after their grace period'],
    ],
    [
      'a pod of a running job is being deleted',
      {
        status: state('Running'),
        pods: ([first, ...others]) => [
          { ...first, metadata: { ...first?.metadata, deletionTimestamp: '2026-01-01T01:00:25Z' } },
          ...others,
        ],
      },
      ['worker-0 is being deleted, and recreated when it is gone, in 25s at the latest.'],
    ],
    [
      'a node pulls a large image',
      {
        status: state('Created'),
        pods: withStatus(1, { phase: 'Pending', conditions: [], ...container({ state: { waiting: {} } }) }),
        events: [
          {
            ...{ type: 'Normal', reason: 'Pulling', note: 'Pulling image "a:1"' },
            ...{ eventTime: '2026-01-01T00:59:00.000000Z', regarding: { kind: 'Pod', uid: 'uid-mnist-worker-1' } },
          },
        ],
      },
      ['is waiting: Created', 'worker-1 waits for its image:', 'The node has been pulling a:1 for 60s.'],
    ],
    [
      'a container keeps restarting',
      {
        status: state('Running'),
        pods: withStatus(0, {
          phase: 'Running',
          ...container({ restartCount: 2, state: { running: {} }, lastState: ended(1, '2026-01-01T00:59:00Z') }),
        }),
      },
      [
        'Last failure: worker-0 (pod mnist-worker-0, container pytorch), 60s ago',
        'exit code 1',
        'logs --replica worker-0 --previous',
      ],
    ],
  ])('explains why a job waits: %s', (_case, known, texts) => {
    // The first finding may be in the first line.
    const text = textOf(explained(known)).replaceAll('\n', ' ');
    for (const each of texts) expect(text).toContain(each.replaceAll('\n', ' '));
  });

  it.each<[string, object, string]>([
    ['unset', {}, 'unset: restarts are unlimited'],
    ['set', { runPolicy: { backoffLimit: 9 } }, '9'],
  ])('names a container that keeps failing in the first line, with backoffLimit %s', (_what, spec, limit) => {
    const terminated = { exitCode: 1, reason: 'Error', message: 'no data', finishedAt: '2026-01-01T00:59:00Z' };
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' };
    const explanation = explained({
      status: { ...state('Running'), ready: '1/2' },
      spec,
      pods: withStatus(0, {
        phase: 'Running',
        ...container({ restartCount: 4, state: { waiting }, lastState: { terminated } }),
      }),
    });
    const cause = `Pod mnist-worker-0, container pytorch keeps failing: 4 restarts; last exit code 1: no data; backoffLimit is ${limit}`;
    expect(explanation.headline).toBe(`is Running, 1/2 ready. ${cause}`);
    const text = textOf(explanation);
    expect(text.match(/no data/g)).toHaveLength(1);
    expect(text).not.toContain('does not start');
    expect(text.includes('Set spec.runPolicy.backoffLimit')).toBe(limit !== '9');
    expect(explanation.next[0]).toBe('logs --replica worker-0 --previous');
  });

  describe('why a job waits whose pods keep failing and are recreated', () => {
    const failedAt = (time: string, more: object = {}) => ({
      ...{ role: 'Worker', index: 0, pod: 'mnist-worker-0', container: 'pytorch', class: 'Program', attempt: 0 },
      ...{ exitCode: 137, message: 'no data', time, ...more },
    });
    const recreated = (more: object = {}) => ({
      ...{ ...state('Restarting'), ready: '1/2', restartCount: 15 },
      ...{ failures: [failedAt('2026-01-01T00:52:00Z')], firstFailure: failedAt('2026-01-01T00:57:00Z'), ...more },
    });
    const cause = 'Pod mnist-worker-0, container pytorch keeps failing: 15 restarts; last exit code 137: no data';
    const withoutPod = (pods: Pod[]) => pods.slice(1);

    it.each<[string, string]>([
      ['Restarting', 'is waiting: Restarting'],
      ['Running', 'is Running'],
    ])('shows in the first line of a job in state %s that backoffLimit is unset', (now, how) => {
      const { headline, next, findings } = explained({ status: recreated({ state: now }), pods: withoutPod });
      expect(headline).toBe(`${how}, 1/2 ready. ${cause}; backoffLimit is unset: restarts are unlimited`);
      expect(findings.map(({ title }) => title)).toContain('Its restarts are not limited.');
      expect(next[0]).toBe('events');
    });

    it('names a backoffLimit that is set', () => {
      const spec = { runPolicy: { suspend: false, backoffLimit: 20 } };
      const { headline, findings } = explained({ status: recreated(), spec, pods: withoutPod });
      expect(headline).toContain(`${cause}; backoffLimit is 20`);
      expect(findings.map(({ title }) => title)).not.toContain('Its restarts are not limited.');
    });

    it('refers to the limit of the Job that recreates the pods', () => {
      const ownerReferences = [{ apiVersion: 'batch/v1', kind: 'Job', name: 'mnist', uid: 'uid-of-job' }];
      const ofJob = (pods: Pod[]) => pods.map((pod) => ({ ...pod, metadata: { ...pod.metadata, ownerReferences } }));
      const { headline, findings } = explained({ status: recreated(), pods: ofJob });
      expect(headline).toContain('backoffLimit is unset: the limit of its Job applies');
      expect(findings.map(({ title }) => title)).not.toContain('Its restarts are not limited.');
    });

    it('takes the first line from the condition Waiting', () => {
      const waits = condition('Waiting', 'CrashLoop', 'Pod mnist-launcher keeps failing: failed 3 times');
      const { headline } = explained({ status: { ...state('Running', waits), ready: '1/2' } });
      expect(headline).toBe('is Running, 1/2 ready. Pod mnist-launcher keeps failing: failed 3 times');
    });

    it.each<[string, object]>([
      ['failed once', { failures: [] }],
      ['last failed long ago', { firstFailure: failedAt('2026-01-01T00:30:00Z'), failures: [] }],
      ['lost its pods by eviction', { firstFailure: failedAt('2026-01-01T00:57:00Z', { class: 'Evicted' }) }],
      ['has ended', { state: 'Succeeded' }],
    ])('does not report repeated failures of a job that %s', (_what, more) => {
      expect(explained({ status: recreated(more), pods: withoutPod }).headline).not.toContain('keeps failing');
    });

    it('reports that peers may wait for a rank that was restarted twice and now runs', () => {
      const since = (startedAt: string) => ({ state: { running: { startedAt } } });
      const pods = (made: Pod[]) =>
        [
          { restartCount: 0, ...since('2026-01-01T00:45:00Z') },
          { restartCount: 2, ...since('2026-01-01T00:57:10Z'), lastState: ended(1, '2026-01-01T00:57:00Z') },
        ].reduce((all, each, at) => withStatus(at, { phase: 'Running', ...container(each) })(all), made);
      const { headline, next } = explained({ status: recreated({ ...state('Running'), ready: '2/2' }), pods });
      expect(headline).toContain('The other replicas may wait for worker-1, which has restarted 2 times');
      expect(next[0]).toContain('RestartJob');
    });

    it('counts the restarts of a job whose container has run for some time since its last failure', () => {
      const running = { running: { startedAt: '2026-01-01T00:50:00Z' } };
      const text = textOf(
        explained({
          status: { ...state('Running'), ready: '2/2', restartCount: 15 },
          pods: withStatus(0, {
            phase: 'Running',
            ...container({ restartCount: 15, state: running, lastState: ended(1, '2026-01-01T00:49:50Z') }),
          }),
        }),
      );
      expect(text).toContain('Its restarts are not limited.\n15 restarts; backoffLimit is unset.');
    });
  });

  const allReady: Partial<Given> = {
    status: { ...state('Running', condition('Running', 'PyTorchJobRunning', 'runs')), ready: '2/2' },
    pods: (pods) =>
      pods.map((pod) => ({ ...pod, status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })),
  };

  it('reports a job without known problems, and shows warnings about its spec', () => {
    const { headline, findings } = explained({
      ...allReady,
      spec: { runPolicy: { suspend: false, progressDeadlineSeconds: 60 } },
      events: [warning('SpecWarning', 'one'), warning('SpecWarning', 'two')],
    });
    expect(headline).toBe('has no known problem: Running, 2/2 ready');
    expect(findings.map(({ title }) => title)).toEqual([SPEC_FINDING]);
  });

  it('shows the last failure of a job that runs again', () => {
    const firstFailure = {
      ...{ role: 'Worker', index: 1, pod: 'mnist-worker-1', class: 'Evicted', reason: 'EvictionByEvictionAPI' },
      time: '2026-01-01T00:57:00Z',
    };
    const { headline, findings } = explained({
      ...allReady,
      status: { ...allReady.status, firstFailure },
      spec: { runPolicy: { progressDeadlineSeconds: 60 } },
    });
    expect(headline).toBe('has no known problem: Running, 2/2 ready');
    expect(findings.map(({ title }) => title)).toEqual(['Last failure: worker-1 (pod mnist-worker-1), 3m ago']);
    expect(findings[0]?.details.join(' ')).toContain('EvictionByEvictionAPI');
  });

  it('says of a healthy job that reporting progress is optional, and shows its activity and how to have hangs detected', () => {
    const activity = ['The last line of the log of worker-0 is 12m old: step 7', 'CPUs in use: worker-0 0.001.'];
    const { headline, findings, next } = explained({ ...allReady, activity });
    expect(headline).toBe(
      'is Running, 2/2 ready. Its program does not report progress. Reporting is optional, and lets Muster detect hangs ' +
        '(docs/users/progress.md). It has been running for 30m.',
    );
    expect(findings).toEqual([{ title: 'Signs of activity:', details: activity }]);
    expect(next).toEqual([
      'logs -f',
      'To have hangs detected, let the program report its step and set spec.runPolicy.progressDeadlineSeconds (docs/users/progress.md)',
    ]);
  });

  it.each([
    [{ leads: false, note: 'The Lease has no holder.' }, true],
    [{ leads: true, note: 'operator-1 leads.' }, false],
    [undefined, false],
  ])('reports missing pods if no operator creates them: %j', (operator, isReported) => {
    const { headline, next } = explained({ status: state('Created'), pods: () => [], operator });
    expect(headline.includes('Pods are missing (2 of 2 Worker), and no operator creates them.')).toBe(isReported);
    expect(next[0]?.startsWith('kubectl get deployments -A -l app.kubernetes.io/name=muster-')).toBe(isReported);
  });

  it('does not report a missing operator if one could not create the pods', () => {
    const operator = { leads: false, note: 'No namespace has a Lease.' };
    const refused: JobCondition = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'no quota',
    };
    const created = state('Created');
    const status = { ...created, conditions: [...(created.conditions ?? []), refused] };
    const { headline, findings } = explained({ status, pods: () => [], operator });
    expect(JSON.stringify([headline, findings])).not.toContain('no operator creates them');
  });

  describe('why a job waits whose pods are not ready', () => {
    const about = (uid: string | undefined, reason: string, note: string): Event => ({
      ...warning(reason, note),
      regarding: { kind: 'Pod', name: 'mnist-worker-0', ...(uid !== undefined && { uid }) },
    });
    let uid: string | undefined;
    const asPod =
      (status: object, spec: object = {}, metadata: object = {}) =>
      (pods: Pod[]) =>
        pods.slice(0, 1).map((pod): Pod => {
          uid = pod.metadata?.uid;
          return {
            ...pod,
            metadata: { ...pod.metadata, creationTimestamp: '2026-01-01T00:30:00Z', ...metadata },
            spec: { ...pod.spec, containers: pod.spec?.containers ?? [], ...spec },
            status,
          };
        });

    it('names the scheduler that does not run', () => {
      const pods = asPod({ phase: 'Pending' }, { schedulerName: 'nowhere' });
      const { headline, next } = explained({ status: state('Created'), pods });
      expect(headline).toContain('has no node, and no scheduler has reported why: its schedulerName is nowhere.');
      expect(next[0]).toContain('Correct schedulerName');
    });

    it('names the node whose kubelet is silent', () => {
      const pods = asPod({ phase: 'Pending' }, { nodeName: 'gone' });
      const { headline, next } = explained({ status: state('Created'), pods });
      expect(headline).toContain('was placed on node gone, whose kubelet has not reported on it.');
      expect(next).toContain('kubectl get node gone');
    });

    it('names the volume that cannot be mounted, and what to create', () => {
      const pods = asPod(
        { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
        { nodeName: 'a' },
      );
      pods(podsOfRoles({ metadata: { name: 'mnist', uid: 'uid' } }, 'pytorch', { Worker: 'RR' }));
      const events = [about(uid, 'FailedMount', 'MountVolume.SetUp failed for volume "t" : secret "token" not found')];
      const { headline, next } = explained({ status: state('Created'), pods, events });
      expect(headline).toContain('worker-0 does not start: FailedMount: MountVolume.SetUp failed');
      expect(next).toEqual(['Create Secret token in namespace team; then the pod starts']);
    });

    it('shows the answer of the registry, not the shorter event after it, while the status of the pod has no reason', () => {
      const pods = asPod(
        { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'True' }] },
        { nodeName: 'a' },
      );
      pods(podsOfRoles({ metadata: { name: 'mnist', uid: 'uid' } }, 'pytorch', { Worker: 'RR' }));
      const events = [
        about(uid, 'Failed', 'Failed to pull image "a:1": not found'),
        about(uid, 'Failed', 'Error: ErrImagePull'),
      ];
      const { headline, next } = explained({ status: state('Created'), pods, events });
      expect(headline).toContain('worker-0 does not start: ErrImagePull: Failed to pull image "a:1": not found');
      expect(next[0]).toContain('or make that image available to the nodes');
    });

    it('names the init container that runs', () => {
      const initContainerStatuses = [
        { name: 'fetch', image: '', imageID: '', ready: false, restartCount: 0, state: { running: {} } },
      ];
      const { headline, next } = explained({
        status: state('Created'),
        pods: asPod({ phase: 'Pending', initContainerStatuses }, { nodeName: 'a' }),
      });
      expect(headline).toContain('worker-0 runs its init container fetch; its program starts after that.');
      expect(next[0]).toBe('logs --replica worker-0 -c fetch');
    });

    it('names the probe that fails', () => {
      const pods = asPod({ phase: 'Running', ...container({ state: { running: {} } }) }, { nodeName: 'a' });
      pods(podsOfRoles({ metadata: { name: 'mnist', uid: 'uid' } }, 'pytorch', { Worker: 'RR' }));
      const events = [about(uid, 'Unhealthy', 'Readiness probe failed: no answer')];
      const { headline, next } = explained({ status: state('Running'), pods, events });
      expect(headline).toContain('worker-0 is not ready: its readinessProbe fails. Readiness probe failed: no answer');
      expect(next[0]).toBe('logs --replica worker-0');
    });
  });

  it('shows each warning about the spec once, also beside other findings', () => {
    const typo = 'Pod mnist-worker-0: unknown field "spec.containers[0].imagePullPolcy"';
    const { findings } = explained({
      status: state('Created', condition('ReplicaFailure', 'FailedCreate', QUOTA)),
      events: [
        ...[warning('APIServerWarning', typo), warning('APIServerWarning', 'other'), warning('SpecWarning', 'one')],
        ...[warning('APIServerWarning', typo), warning('FailedCreatePod', 'refused')],
      ],
    });
    expect(findings.filter(({ title }) => title === SPEC_FINDING)).toMatchObject([
      { title: SPEC_FINDING, details: [typo, 'other', 'one'] },
    ]);
  });

  it('shows a warning once that a created object repeats with the path in its own spec', () => {
    const inService = 'spec.rayClusterConfig.headGroupSpec.template: a head with 3Gi of memory may be killed';
    const inCluster = 'spec.headGroupSpec.template: a head with 3Gi of memory may be killed';
    const events = [warning('SpecWarning', inService), warning('SpecWarning', inCluster)];
    const { findings } = explained({ status: state('Running'), events });
    expect(findings.find(({ title }) => title === SPEC_FINDING)?.details).toEqual([inService]);
  });
});

describe('why a job has failed', () => {
  it('shows no warning of the kubelet that repeats the error of the container', () => {
    const error = 'exec: "trian.py": executable file not found in $PATH: unknown';
    const end = { exitCode: 128, reason: 'StartError', message: error };
    const where = { role: 'Worker', index: 1, pod: 'mnist-worker-1', class: 'Program', time: '2026-01-01T00:29:00Z' };
    const ended = condition('Failed', 'PyTorchJobFailed', 'PyTorchJob mnist has failed.');
    const { findings } = explained({
      status: { ...state('Failed', ended), firstFailure: { ...where, ...end } },
      events: [warning('Failed', `Error: failed to create containerd task: ${error}`), warning('Evicted', 'other')],
    });
    expect(findings.at(-1)).toMatchObject({ title: 'Warnings:', details: [expect.stringContaining('other')] });
  });

  const failed = state('Failed', condition('Failed', 'PyTorchJobFailed', 'PyTorchJob mnist is failed.'));

  it('names the replica that failed first, with the meaning of its exit code', () => {
    const explanation = explained({
      status: failed,
      pods: (pods) =>
        withStatus(1, { phase: 'Failed', ...container({ state: ended(137, '2026-01-01T00:29:00Z', 'OOMKilled') }) })(
          withStatus(0, { phase: 'Failed', ...container({ state: ended(1, '2026-01-01T00:29:05Z') }) })(pods),
        ),
    });
    expect(explanation.headline).toBe('has failed 30m ago (PyTorchJobFailed): PyTorchJob mnist is failed.');
    expect(explanation.findings[0]).toMatchObject({
      title: 'First to fail: worker-1 (pod mnist-worker-1, container pytorch), 31m ago',
      details: ['exit code 137 (OOMKilled): the container used more memory than its limit, and was killed'],
    });
    expect(explanation.next).toEqual([expect.stringMatching(/^Raise .*resources\.limits\.memory/), 'delete']);
  });

  it('shows the first failure in the status even if the pod is gone', () => {
    const firstFailure = {
      ...{ role: 'Worker', index: 1, pod: 'mnist-worker-1', node: 'node-2', container: 'pytorch', attempt: 0 },
      ...{
        class: 'Program',
        exitCode: 139,
        signal: 'SIGSEGV',
        message: 'loading\nlast line',
        time: '2026-01-01T00:29:00Z',
      },
    };
    const later = withStatus(0, { phase: 'Failed', ...container({ state: ended(1, '2026-01-01T00:29:05Z') }) });
    for (const pods of [later, () => []]) {
      const {
        headline,
        findings: [finding],
      } = explained({ status: { ...failed, firstFailure }, pods });
      expect(headline).toBe('has failed 30m ago (PyTorchJobFailed): PyTorchJob mnist is failed. last line');
      expect(finding).toEqual({
        title: 'First to fail: worker-1 (pod mnist-worker-1 on node-2, container pytorch), 31m ago',
        details: ['exit code 139: SIGSEGV: the program accessed invalid memory'],
      });
    }
  });

  describe('why a job has failed after the deletion of a pod', () => {
    const cascade = {
      ...{ role: 'Worker', index: 0, pod: 'mnist-worker-0', container: 'pytorch', attempt: 0, class: 'Cascade' },
      ...{ exitCode: 1, message: 'RuntimeError: Connection closed by peer', time: '2026-01-01T00:29:05Z' },
    };
    const onPod = (name: string, reason: string, note: string, time: string): Event => ({
      ...{ type: 'Normal', reason, note, eventTime: `2026-01-01T${time}.000000Z`, regarding: { kind: 'Pod', name } },
    });
    const STOPPING = 'Stopping container pytorch';
    const killing = onPod('mnist-worker-1', 'Killing', STOPPING, '00:29:03');

    it('names the deleted pod in the status first', () => {
      const message = 'pod mnist-worker-1 was deleted by a user or another controller';
      const { container: _container, exitCode: _exitCode, ...rest } = cascade;
      const firstFailure = { ...rest, class: 'Deleted', index: 1, pod: 'mnist-worker-1', reason: 'Deleted', message };
      const status = state('Failed', condition('Failed', 'PyTorchJobFailed', `failed. First: ${message}`));
      const pods = withStatus(0, { phase: 'Failed', ...container({ state: ended(1, '2026-01-01T00:29:05Z') }) });
      const explanation = explained({ status: { ...status, firstFailure }, pods });
      expect(explanation.headline).toBe(`has failed 30m ago (PyTorchJobFailed): failed. First: ${message}`);
      expect(explanation.findings[0]).toEqual({
        title: 'First to fail: worker-1 (pod mnist-worker-1), 30m ago',
        details: [
          'Deleted',
          'Other pods of the job failed because of that. The audit log of the API server records who deleted it.',
        ],
      });
      expect(explanation.next[0]).toBe('events');
    });

    it.each<[string, object, string | undefined]>([
      ['does not name an existing pod of which only a sidecar was stopped', {}, undefined],
      [
        'names a pod that is being deleted',
        { deletionTimestamp: '2026-01-01T00:29:03Z' },
        'Pod mnist-worker-1 was deleted by a user or another controller shortly before.',
      ],
    ])('%s', (_what, metadata, note) => {
      const { headline } = explained({
        status: { ...failed, firstFailure: cascade },
        pods: (made) =>
          made.map((pod, at) => (at === 1 ? { ...pod, metadata: { ...pod.metadata, ...metadata } } : pod)),
        events: [killing],
      });
      expect(headline.includes('was deleted by a user or another controller')).toBe(note !== undefined);
      expect(headline).toContain(note ?? 'has failed');
    });

    it.each<[string, readonly Event[], string | undefined]>([
      [
        'deleted, by the event of its kubelet',
        [killing],
        'Pod mnist-worker-1 was deleted by a user or another controller shortly before.',
      ],
      [
        'evicted, by the event of the node controller',
        [killing, onPod('mnist-worker-1', 'TaintManagerEviction', 'Marking for deletion', '00:29:03')],
        'Pod mnist-worker-1 was evicted from a tainted or lost node shortly before.',
      ],
      [
        'preempted',
        [onPod('mnist-worker-1', 'Preempted', 'Preempted by pod x on node y', '00:29:01'), killing],
        'Pod mnist-worker-1 was preempted by the scheduler shortly before.',
      ],
      ['stopped long before', [onPod('mnist-worker-1', 'Killing', STOPPING, '00:20:00')], undefined],
      ['stopped after that', [onPod('mnist-worker-1', 'Killing', STOPPING, '00:29:30')], undefined],
      ['the pod that failed', [onPod('mnist-worker-0', 'Killing', STOPPING, '00:29:04')], undefined],
      [
        'restarted after a failed probe',
        [onPod('mnist-worker-1', 'Killing', 'Container pytorch failed liveness probe, will be restarted', '00:29:03')],
        undefined,
      ],
      ['deleted by its operator', [onPod('mnist', 'SuccessfulDeletePod', '', '00:29:02'), killing], undefined],
    ])('names a pod that is gone from events: %s', (_how, events, note) => {
      const { headline } = explained({
        status: { ...failed, firstFailure: cascade },
        pods: () => [],
        events: [...events],
      });
      const cause = 'PyTorchJob mnist is failed. RuntimeError: Connection closed by peer';
      const prefix = 'has failed 30m ago (PyTorchJobFailed): ';
      expect(headline).toBe(`${prefix}${note === undefined ? cause : `${note} ${cause}`}`);
    });
  });

  const TRACEBACK =
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\n    f()\nValueError: no data';
  const withTraceback = withStatus(0, {
    phase: 'Failed',
    ...container({
      state: { terminated: { exitCode: 1, reason: 'Error', message: TRACEBACK, finishedAt: '2026-01-01T00:29:00Z' } },
    }),
  });

  it.each([
    'PyTorchJob mnist is failed.',
    'failed. First: pod mnist-worker-0, container pytorch: exit code 1 (Error): ValueError: no data',
  ])('shows the error once, in the first line, with the condition: %s', (message) => {
    const status = state('Failed', condition('Failed', 'PyTorchJobFailed', message));
    const explanation = explained({ status, pods: withTraceback, events: [warning('JobFailed', message)] });
    expect(explanation.headline).toContain('ValueError: no data');
    expect(textOf(explanation).match(/ValueError: no data/g)).toHaveLength(1);
  });

  it("takes the error from the log if the pod's status has only a launcher's report", () => {
    const pods = withStatus(0, { phase: 'Failed', ...container({ state: ended(1, '2026-01-01T00:29:00Z') }) });
    const explanation = explained({ status: failed, pods });
    const log = ["python: can't open file '/trian.py': [Errno 2] No such file or directory"];
    expect(withLog(explanation, log).headline).toBe(`${explanation.headline} ${log[0]}`);
    expect(withLog(withLog(explanation, log), log)).toEqual(withLog(explanation, log));
    expect(withLog(explanation, [])).toBe(explanation);
  });

  it('shows that the cluster evicted a pod', () => {
    const pods = withStatus(0, {
      phase: 'Failed',
      reason: 'Evicted',
      message: 'The node was low on memory.',
      containerStatuses: [],
    });
    expect(textOf(explained({ status: failed, pods }))).toContain('Evicted: The node was low on memory.');
  });

  it('shows that the pods are deleted, and how to keep them', () => {
    expect(textOf(explained({ status: failed, pods: () => [] }))).toContain('set spec.runPolicy.cleanPodPolicy: None');
  });

  it('shows that a job that has reached a limit loses its pods under every policy', () => {
    const message = 'Job mnist has failed because it has reached the specified backoff limit.';
    const text = textOf(
      explained({ status: state('Failed', condition('Failed', 'PyTorchJobFailed', message)), pods: () => [] }),
    );
    expect(text).toContain('When a job reaches a limit, its running pods are deleted under every cleanPodPolicy.');
    expect(text).not.toContain('set spec.runPolicy.cleanPodPolicy');
  });

  it('shows what a job waited for that has not started in time, and which limit to raise', () => {
    const message =
      'Job mnist has failed because not all of its replicas ran within 600 s: 1 of 2 run. Unschedulable: full';
    const { headline, next, findings } = explained({
      status: state('Failed', condition('Failed', 'StartDeadlineExceeded', message)),
      spec: { runPolicy: { startDeadlineSeconds: 600 } },
      pods: () => [],
    });
    expect(headline).toContain(`(StartDeadlineExceeded): ${message}`);
    expect(next).toEqual([
      'Remove the cause above, or raise spec.runPolicy.startDeadlineSeconds (600). To submit the job again, delete it first',
      'delete',
      'events',
    ]);
    expect(JSON.stringify(findings)).toContain('When a job reaches a limit, its running pods are deleted');
  });

  it('names the invalid field', () => {
    const status = state('Failed', condition('Failed', 'InvalidSpec', 'spec.nprocPerNode: must be a number'));
    expect(explained({ status })).toEqual({
      headline: expect.stringMatching(/^has an invalid spec: ./) as string,
      findings: [
        {
          title: 'No pod has been created.',
          details: ['The job starts when its spec is corrected.'],
        },
      ],
      next: ['kubectl edit'],
    });
  });
});

it('shows when a job succeeded', () => {
  const status = { ...state('Succeeded'), completionTime: '2026-01-01T00:58:00Z' };
  expect(explained({ status })).toEqual({ headline: 'has succeeded, 2m ago', findings: [], next: ['logs'] });
});

describe('why, of Ray', () => {
  const refused = 'create pods "team/tune-head-0": requests: must be less than or equal to cpu limit of 1';
  const explainedRay = (name: string, spec: object, status: object) => {
    const rayKind = KINDS.find(({ definition }) => definition.resource.kind === name)!;
    const metadata = { name: 'tune', namespace: 'team', uid: 'uid' };
    const view = jobView(rayKind, { ...{ apiVersion: 'ray.io/v1', kind: name, metadata, spec, status } }, []);
    return textOf(explain({ view, events: [], operator: undefined, activity: [], queue: [], nowMs: NOW }));
  };
  const template = { spec: { containers: [{ name: 'ray', image: 'rayproject/ray:2.53.0' }] } };
  const cluster = { headGroupSpec: { rayStartParams: {}, template } };

  it('names the invalid spec of a RayCluster, whose conditions are those of KubeRay', () => {
    const text = explainedRay('RayCluster', cluster, {
      ...{ state: 'failed', reason: refused },
      conditions: [{ ...condition('HeadPodReady', 'HeadPodNotFound', 'There is no head pod'), status: 'False' }],
      muster: state('Failed', condition('Failed', 'InvalidSpec', refused)),
    });
    expect(text).toContain(`has an invalid spec: ${refused}`);
  });

  it('recommends no cleanPodPolicy for a failed RayJob, which has none', () => {
    const text = explainedRay(
      'RayJob',
      { entrypoint: 'python a.py', rayClusterSpec: cluster },
      {
        ...{ jobDeploymentStatus: 'Failed', reason: 'AppFailed' },
        muster: state('Failed', condition('Failed', 'AppFailed', 'exit code 1')),
      },
    );
    expect(text).toContain('has failed 30m ago (AppFailed): exit code 1');
    expect(text).not.toContain('cleanPodPolicy');
  });

  it.each([
    [
      { entrypoint: 'python a.py', rayClusterSpec: cluster },
      'Correct spec.rayClusterSpec. To submit the job again, delete it first\ndelete',
    ],
    [
      { entrypoint: 'python a.py', clusterSelector: { 'ray.io/cluster': 'c' } },
      'Correct RayCluster c\nkubectl edit rayclusters.ray.io c',
    ],
  ])('says that the cluster of a RayJob has failed, and what to correct', (spec, next) => {
    const text = explainedRay('RayJob', spec, {
      ...{
        jobDeploymentStatus: 'Initializing',
        rayClusterName: 'c',
        rayClusterStatus: { state: 'failed', reason: refused },
      },
      muster: state('Created', condition('Created', 'RayJobCreated', 'RayJob tune is created.')),
    });
    expect(text).toContain(`is waiting: Created. Its RayCluster c has failed: ${refused}`);
    expect(text).toContain(next);
  });
});
