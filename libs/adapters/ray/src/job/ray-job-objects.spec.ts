/** Objects of a RayJob: cluster, submitter and submission. */
import type { Container, Job, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf } from '../../test-support/cluster-models.ts';
import { jobSpec, rayJob, recordOf } from '../../test-support/ray-jobs.ts';
import { desiredCluster } from './desired-cluster.ts';
import { rayClusterName } from './ray-job-names.ts';
import { raySubmission, runtimeEnvOf } from './ray-job-submission.ts';
import { SUBMITTER_EXIT } from './submit-script.ts';
import { readSidecarSubmitter, readSubmitterJob, submitterJob } from './submitter-job.ts';

const LABELS = { 'ray.io/originated-from-cr-name': 'mnist', 'ray.io/originated-from-crd': 'RayJob' };
const TOKEN = { spec: { authOptions: {} } };
const TOKEN_ENV = [
  { name: 'RAY_AUTH_MODE', value: 'token' },
  { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name: 'demo', key: 'auth_token' } } },
];

function onlyContainer(job: Job): Container {
  const [container] = job.spec?.template.spec?.containers ?? [];
  if (container === undefined) throw new Error('the submitter has no container');
  return container;
}

describe('the names of an attempt', () => {
  it('are deterministic, and differ between attempts and between jobs of that name', () => {
    const first = { name: 'mnist', uid: 'u-1', attempt: 1 };
    expect(rayClusterName(first)).toMatch(/^mnist-[a-z2-7]{5}$/);
    expect(rayClusterName({ ...first })).toBe(rayClusterName(first));
    const names = [first, { ...first, attempt: 2 }, { ...first, uid: 'u-2' }].map(rayClusterName);
    expect(new Set(names).size).toBe(3);
  });
});

describe('the submission of a job', () => {
  it('has every field of the manifest', () => {
    const spec = jobSpec({
      entrypoint: '  python train.py "$HOME"\n',
      runtimeEnvYAML: 'pip: [requests==2.34.2]\nenv_vars:\n  A: "1"\n',
      metadata: { owner: 'me' },
      entrypointNumCpus: 1.5,
      entrypointNumGpus: 0,
      entrypointResources: '{"tpu": 2}',
    });
    expect(raySubmission(spec, 'mnist-abcde')).toEqual({
      entrypoint: 'python train.py "$HOME"',
      submission_id: 'mnist-abcde',
      runtime_env: { pip: ['requests==2.34.2'], env_vars: { A: '1' } },
      metadata: { owner: 'me' },
      entrypoint_num_cpus: 1.5,
      entrypoint_resources: { tpu: 2 },
    });
  });

  it('has no other fields than the manifest', () => {
    expect(raySubmission(jobSpec(), 'j')).toEqual({ entrypoint: 'python train.py', submission_id: 'j' });
  });

  it.each<[text: string, expected: object | undefined]>([
    ['', undefined],
    ['# nothing', undefined],
    ['{}', {}],
    ['excludes: yes', { excludes: true }],
    [
      'env_vars: &a {A: 010, B: 1:30}\nconfig: {<<: *a, C: 0o17}',
      { env_vars: { A: 8, B: '1:30' }, config: { A: 8, B: '1:30', C: 15 } },
    ],
    ['config: {size: 9007199254740993}', { config: { size: 9007199254740992 } }],
    ['pip: []\npip: [ray]', { pip: ['ray'] }],
    ['{"working_dir": "https://example.com/a.zip"}', { working_dir: 'https://example.com/a.zip' }],
  ])('reads the runtime environment %j', (text, expected) => {
    expect(runtimeEnvOf(text)).toEqual(expected);
  });

  it.each(['pip: [', 'just text', '[1, 2]'])('refuses the runtime environment %j', (text) => {
    expect(() => runtimeEnvOf(text)).toThrow();
  });
});

describe('the cluster of a RayJob', () => {
  it('has the labels and annotations of the job, and its own', () => {
    const job = rayJob(
      {},
      {
        labels: { team: 'vision' },
        annotations: {
          'ray.io/ft-enabled': 'true',
          'kubectl.kubernetes.io/last-applied-configuration': '{}',
          'muster.dev/sidecar-grace-seconds': '60',
        },
      },
    );
    expect(desiredCluster(job, recordOf(), 'cluster.local')).toEqual({
      apiVersion: 'ray.io/v1',
      kind: 'RayCluster',
      metadata: {
        name: 'mnist-abcde',
        namespace: 'team',
        labels: { team: 'vision', ...LABELS, 'ray.io/job-submission-mode': 'K8sJobMode' },
        annotations: { 'ray.io/ft-enabled': 'true' },
      },
      spec: job.spec.rayClusterSpec,
    });
  });

  it('in SidecarMode has the submitter in its head, which is not recreated', () => {
    const job = rayJob({ submissionMode: 'SidecarMode' });
    const { rayClusterSpec } = job.spec;
    const [head] = rayClusterSpec?.headGroupSpec.template.spec?.containers ?? [];
    const port = { ...rayClusterSpec!.headGroupSpec, rayStartParams: { 'dashboard-port': '9000' } };
    const spec = { ...rayClusterSpec!, headGroupSpec: port, authOptions: {} };
    const cluster = desiredCluster(
      { ...job, spec: { ...job.spec, rayClusterSpec: spec } },
      recordOf(),
      'cluster.local',
    );
    expect(cluster.metadata?.annotations).toEqual({ 'ray.io/disable-provisioned-head-restart': 'true' });
    const podSpec = cluster.spec.headGroupSpec.template.spec;
    expect(podSpec?.restartPolicy).toBe('Never');
    expect(podSpec?.containers).toEqual([
      head,
      expect.objectContaining({
        name: 'ray-job-submitter',
        image: 'ray:2.60.0',
        env: [
          { name: 'PYTHONUNBUFFERED', value: '1' },
          { name: 'RAY_DASHBOARD_ADDRESS', value: 'http://127.0.0.1:9000' },
          { name: 'RAY_JOB_SUBMISSION_ID', value: 'mnist-abcde' },
          TOKEN_ENV[0],
          { name: 'RAY_AUTH_TOKEN', valueFrom: { secretKeyRef: { name: 'mnist-abcde', key: 'auth_token' } } },
        ],
      }),
    ]);
    // The original spec is not modified.
    expect(rayClusterSpec?.headGroupSpec.template.spec?.containers).toHaveLength(1);
  });
});

describe('the submitter of a RayJob', () => {
  const ENV = [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: 'RAY_DASHBOARD_ADDRESS', value: 'mnist-abcde-head-svc.team.svc.cluster.local:8265' },
    { name: 'RAY_JOB_SUBMISSION_ID', value: 'mnist-abcde' },
  ];

  it("is a Job of one small container, with the head's image pull secrets", () => {
    const cluster = clusterOf({ headContainer: { imagePullPolicy: 'Never' } });
    cluster.spec.headGroupSpec.template.spec!.imagePullSecrets = [{ name: 'registry' }];
    const job = submitterJob(rayJob(), recordOf(), cluster);
    expect(job.metadata).toEqual({
      name: 'mnist',
      namespace: 'team',
      labels: { ...LABELS, 'app.kubernetes.io/created-by': 'kuberay-operator', 'ray.io/cluster': 'mnist-abcde' },
    });
    expect(job.spec).toMatchObject({ backoffLimit: 2 });
    // The autoscaler fails if a pod with the cluster's label is not a node.
    expect(job.spec?.template.metadata).toEqual({ labels: LABELS });
    expect(job.spec?.template.spec).toMatchObject({ restartPolicy: 'Never', imagePullSecrets: [{ name: 'registry' }] });
    expect(onlyContainer(job)).toMatchObject({
      name: 'ray-job-submitter',
      image: 'ray:2.60',
      imagePullPolicy: 'Never',
      resources: { requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '1Gi' } },
      env: ENV,
    });
  });

  it('is not retried when the job has failed, and a drain does not count', () => {
    expect(submitterJob(rayJob(), recordOf(), clusterOf()).spec?.podFailurePolicy?.rules).toEqual([
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
      {
        action: 'FailJob',
        onExitCodes: {
          containerName: 'ray-job-submitter',
          operator: 'In',
          values: [SUBMITTER_EXIT.notSucceeded, SUBMITTER_EXIT.refused],
        },
      },
    ]);
  });

  it('gets the token, the session, and whether it may have to wait for another head', () => {
    const { spec } = clusterOf(TOKEN);
    const cluster = clusterOf({ spec: { ...spec, gcsFaultToleranceOptions: {} } });
    const { env } = onlyContainer(submitterJob(rayJob(), recordOf(), cluster, { session: 'session_1' }));
    expect(env).toEqual([
      ...ENV,
      { name: 'MUSTER_RAY_SESSION', value: 'session_1' },
      { name: 'MUSTER_RAY_SILENCE_LIMIT_SECONDS', value: '1800' },
      ...TOKEN_ENV,
    ]);
  });

  it("is created from the user's template, whose command and variables are kept", () => {
    const template = {
      metadata: { labels: { team: 'vision' }, annotations: { a: 'b' } },
      spec: {
        restartPolicy: 'OnFailure' as const,
        containers: [
          {
            name: 'mine',
            image: 'mine',
            command: ['./go'],
            env: [{ name: 'RAY_DASHBOARD_ADDRESS', value: 'proxy:80' }],
          },
          { name: 'other', image: 'other' },
        ],
      },
    };
    const job = submitterJob(
      rayJob({ submitterPodTemplate: template, submitterConfig: { backoffLimit: 0 } }),
      recordOf(),
      clusterOf(),
    );
    expect(job.spec?.backoffLimit).toBe(0);
    expect(job.spec).not.toHaveProperty('podFailurePolicy');
    expect(job.spec?.template.metadata).toEqual({ labels: { team: 'vision', ...LABELS }, annotations: { a: 'b' } });
    expect(job.spec?.template.spec?.containers).toEqual([
      { ...template.spec.containers[0], env: [{ name: 'RAY_DASHBOARD_ADDRESS', value: 'proxy:80' }, ENV[0], ENV[2]] },
      template.spec.containers[1],
    ]);
  });

  it('passes the entrypoint to Ray unchanged, without expansion of $ by Kubernetes', () => {
    const entrypoint = 'echo $(RAY_JOB_SUBMISSION_ID) $$ "$HOME"';
    const { args = [] } = onlyContainer(submitterJob(rayJob({ entrypoint }), recordOf(), clusterOf()));
    expect(args.join('')).not.toContain('$');
    expect(JSON.parse(args[1] ?? '')).toEqual({ entrypoint });
  });
});

describe('the state of a submitter', () => {
  const at = '2026-01-01T00:00:00Z';

  it.each<[what: string, status: Job['status'], expected: unknown]>([
    ['not begun', undefined, {}],
    ['at work', { active: 1 }, {}],
    ['about to end', { conditions: [{ type: 'FailureTarget', status: 'True' }] }, {}],
    [
      'done',
      { completionTime: at, conditions: [{ type: 'Complete', status: 'True' }] },
      { end: { hasFailed: false, message: '' } },
    ],
    [
      'failed',
      {
        conditions: [{ type: 'Failed', status: 'True', reason: 'R', message: 'why', lastTransitionTime: at }],
      },
      { end: { hasFailed: true, message: 'R, why' } },
    ],
  ])('as a Job: %s', (_what, status, expected) => {
    expect(readSubmitterJob({ ...(status && { status }) })).toEqual(expected);
  });

  it.each<[what: string, state: object | undefined, expected: unknown]>([
    ['no container yet', undefined, undefined],
    ['at work', { running: {} }, {}],
    [
      'done',
      { terminated: { exitCode: 0, reason: 'Completed', finishedAt: at } },
      { end: { hasFailed: false, message: 'exit code 0, Completed' } },
    ],
    [
      'failed',
      { terminated: { exitCode: 11, reason: 'Error', message: 'Ray refuses it\n', finishedAt: at } },
      { end: { hasFailed: true, message: 'exit code 11, Ray refuses it' } },
    ],
  ])('in the head pod: %s', (_what, state, expected) => {
    const container = { name: 'ray-job-submitter', state };
    const pod = { status: { containerStatuses: state === undefined ? [] : [container] } } as Pod;
    expect(readSidecarSubmitter(pod)).toEqual(expected);
  });
});
