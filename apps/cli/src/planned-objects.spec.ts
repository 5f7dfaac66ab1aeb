import { gangSchedulerNamed } from '@muster/common-job-controller';
import type { Pod } from '@muster/job-api';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { plannedObjects, ignoredParts, warnings } from './planned-objects.ts';

const OPTIONS = { namespace: 'default', serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;

const job = (pytorchReplicaSpecs: object, metadata: object = { name: 'train' }) => ({
  apiVersion: 'kubeflow.org/v1',
  kind: 'PyTorchJob',
  metadata,
  spec: { pytorchReplicaSpecs },
});
const template = { spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] } };

/** An MPIJob whose launcher mounts a volume of this name. By default, the volume is one of Muster's. */
function withMounts(name: string, mountPath = '/hosts', volumes: object[] = []) {
  const spec = { containers: [{ ...template.spec.containers[0], volumeMounts: [{ name, mountPath }] }], volumes };
  const mpiReplicaSpecs = { Launcher: { template: { spec } }, Worker: { template } };
  return { ...job({}), apiVersion: 'kubeflow.org/v2beta1', kind: 'MPIJob', spec: { mpiReplicaSpecs } };
}

/** A gang scheduler that allows all pods to be created at once. */
function gangScheduler() {
  const gang = gangSchedulerNamed('any');
  if (gang === undefined) throw new Error('there is no gang scheduler');
  return gang;
}

describe('plannedObjects', () => {
  it('are those that the operator would create, in their order', () => {
    const planned = plannedObjects(job({ Master: { template }, Worker: { replicas: 2, template } }), OPTIONS);
    const objects = 'objects' in planned ? planned.objects : [];
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata?.namespace}/${metadata?.name}`)).toEqual([
      'Service default/train',
      'Service default/train-master-0',
      'Pod default/train-master-0',
      'Pod default/train-worker-0',
      'Pod default/train-worker-1',
    ]);
  });

  it.each([
    ['tensorflow', ['chief-0', 'ps-0', 'worker-0', 'worker-1']],
    ['pytorch', ['master-0', 'worker-0', 'worker-1']],
    ['mpi', ['master-0', 'worker-0', 'worker-1']],
    ['mxnet', ['scheduler-0', 'server-0', 'worker-0', 'worker-1']],
    ['ray', ['head-0', 'worker-0', 'worker-1']],
  ])('are those of a Volcano Job by the plugin %s', (framework, pods) => {
    const text = readFileSync(new URL(`../../../examples/volcano/${framework}.yaml`, import.meta.url), 'utf8');
    const manifest = parseAllDocuments(text)[0]?.toJS() as { metadata: { name: string } };
    const planned = plannedObjects(manifest, OPTIONS);
    const objects = 'objects' in planned ? planned.objects : [];
    const found = objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata?.name);
    expect(found).toEqual(pods.map((pod) => `${manifest.metadata.name}-${pod}`));
    expect(warnings(manifest, OPTIONS)).toEqual([]);
  });

  it('are those of an MPIJob with a start order and without apiGeneration, which the API server adds', () => {
    const spec = {
      runPolicy: { startOrder: [{ role: 'Launcher', dependsOn: ['Worker'] }] },
      mpiReplicaSpecs: { Launcher: { template }, Worker: { template } },
    };
    const planned = plannedObjects({ ...job({}), apiVersion: 'kubeflow.org/v2beta1', kind: 'MPIJob', spec }, OPTIONS);
    expect('objects' in planned && planned.objects.map(({ kind }) => kind)).toContain('Job');
  });

  it.each<[string, object]>([
    ['the labels', { metadata: { name: 'train', labels: null } }],
    ['the policies of a task', { spec: { tasks: [{ name: 'worker', replicas: 1, template, policies: null }] } }],
  ])('are the same if a Volcano Job has %s without a value', (_what, fields) => {
    const tasks = [{ name: 'worker', replicas: 1, template }];
    const written = {
      ...{ apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', metadata: { name: 'train' } },
      spec: { tasks },
    };
    const withPlugin = (manifest: { readonly spec: object }) => ({
      ...manifest,
      spec: { ...manifest.spec, plugins: { pytorch: [] } },
    });
    const planned = plannedObjects(withPlugin({ ...written, ...fields }), OPTIONS);
    expect('objects' in planned && planned.objects.length).toBeGreaterThan(0);
    expect(planned).toEqual(plannedObjects(withPlugin(written), OPTIONS));
  });

  it("keep the job's own namespace", () => {
    const planned = plannedObjects(job({ Worker: { template } }, { name: 'train', namespace: 'team' }), OPTIONS);
    expect('objects' in planned && planned.objects[0]?.metadata?.namespace).toBe('team');
  });

  it.each([
    {
      name: 'bad field',
      manifest: job({ Master: { replicas: 2, template } }),
      message: 'spec.pytorchReplicaSpecs[Master].replicas: ',
    },
    {
      name: 'bad annotation',
      manifest: job({ Worker: { template } }, { name: 'train', annotations: { 'muster.dev/service-mode': 'perjob' } }),
      message: 'metadata.annotations[muster.dev/service-mode]: Unsupported value: "perjob"',
    },
    {
      name: 'unknown kind',
      manifest: { apiVersion: 'batch/v1', kind: 'Job' },
      message: 'no operator runs Job of batch/v1',
    },
    {
      name: 'a Volcano Job of no framework',
      manifest: { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', spec: { plugins: { svc: [] } } },
      message: 'spec.plugins: no plugin names a framework (tensorflow, pytorch, mpi, mxnet, ray)',
    },
    {
      name: 'a Volcano Job with plugins without a value',
      manifest: { apiVersion: 'batch.volcano.sh/v1alpha1', kind: 'Job', spec: { plugins: null } },
      message: 'spec.plugins: no plugin names a framework (tensorflow, pytorch, mpi, mxnet, ray)',
    },
    {
      name: 'an annotation of Muster without quotes',
      manifest: job({ Worker: { template } }, { name: 'train', annotations: { 'muster.dev/scale-down-pods': [] } }),
      message: 'metadata.annotations[muster.dev/scale-down-pods]: Invalid value: must be of type string',
    },
    { name: 'not an object of Kubernetes', manifest: {}, message: 'no operator runs an object without kind' },
  ])('are problems instead where the manifest has some: $name', ({ manifest, message }) => {
    const planned = plannedObjects(manifest, OPTIONS);
    expect('problems' in planned && planned.problems.join('\n')).toContain(message);
  });

  const main = template.spec.containers[0];
  const masterAnd = (worker: object, metadata?: object) => job({ Master: { template }, Worker: worker }, metadata);
  const withSpec = (spec: object) => ({ template: { spec: { containers: [main], ...spec } } });

  it.each<[what: string, manifest: object, problems: readonly string[]]>([
    [
      'a label and a finalizer of the job',
      masterAnd({ template }, { name: 'train', labels: { team: 'a b' }, finalizers: ['keep'] }),
      ['metadata.labels[team]', 'metadata.finalizers[0]'],
    ],
    ['the type of its labels', masterAnd({ template }, { name: 'train', labels: ['a'] }), ['metadata.labels']],
    ['its name', masterAnd({ template }, { name: 'Train' }), ['metadata.name']],
    ['a missing name', masterAnd({ template }, {}), ['metadata.name']],
    [
      'a label of its pods',
      masterAnd({ template: { ...template, metadata: { labels: { 'a/b/c': 'x' } } } }),
      ['spec.pytorchReplicaSpecs[Worker].template.metadata.labels'],
    ],
    [
      'volumes in each template that has the error',
      job({
        Master: withSpec({ volumes: [{ name: 'A' }] }),
        Worker: withSpec({ volumes: [{ name: 'b' }, { name: 'A' }] }),
      }),
      [
        'spec.pytorchReplicaSpecs[Master].template.spec.volumes[0].name',
        'spec.pytorchReplicaSpecs[Worker].template.spec.volumes[1].name',
      ],
    ],
    [
      'the pods of a RayCluster in a RayJob',
      ray('RayJob', {
        entrypoint: 'train',
        rayClusterSpec: { headGroupSpec: { template: { spec: { containers: [main], hostname: 'A' } } } },
      }),
      ['spec.rayClusterSpec.headGroupSpec.template.spec.hostname'],
    ],
    [
      'limits that are a list, once',
      masterAnd(withSpec({ containers: [{ ...main, resources: { requests: { 'nvidia.com/gpu': 1 }, limits: [] } }] })),
      ['spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].resources.limits'],
    ],
    [
      "an annotation of the head's Service",
      ray('RayCluster', { headServiceAnnotations: { 'a/b/c': 'x' }, headGroupSpec: { template } }),
      ['spec.headServiceAnnotations'],
    ],
    [
      'the submitter of a RayJob',
      ray('RayJob', {
        entrypoint: 'train',
        rayClusterSpec: { headGroupSpec: { template } },
        submitterPodTemplate: { spec: { containers: [main], nodeSelector: { a: 'b c' }, restartPolicy: 'Never' } },
      }),
      ['spec.submitterPodTemplate.spec.nodeSelector[a]'],
    ],
    [
      'a Service, before there are pods',
      job(
        { Worker: withSpec({ containers: [{ ...main, ports: [{ name: '训练', containerPort: 80 }] }] }) },
        { name: 'train', annotations: { 'muster.dev/gang-scheduler': 'unknown' } },
      ),
      ['spec.pytorchReplicaSpecs[Worker].template.spec.containers[0].ports[0].name'],
    ],
  ])('are problems if the API server would refuse %s', (_what, manifest, paths) => {
    const planned = plannedObjects(manifest, OPTIONS);
    const problems = 'problems' in planned ? planned.problems : [];
    expect(problems.map((problem) => problem.slice(0, problem.indexOf(': ')))).toEqual(paths);
  });

  it('name the field whose value Muster uses for an object of its own in the same list', () => {
    const planned = plannedObjects(withMounts('ssh-auth', '/root/.ssh', [{ name: 'ssh-auth' }]), OPTIONS);
    const launcher = 'spec.mpiReplicaSpecs[Launcher].template.spec';
    expect('problems' in planned && planned.problems).toEqual([
      `${launcher}.containers[0].volumeMounts[0].mountPath: Duplicate value: "/root/.ssh": Muster adds another one`,
      `${launcher}.volumes[0].name: Duplicate value: "ssh-auth": Muster adds another one`,
    ]);
  });

  it.each(['volcano', 'kubernetes', 'coscheduling', 'kai-scheduler', 'yunikorn'])(
    'include pods that wait for others, and for a PodGroup of %s',
    (name) => {
      const gang = gangSchedulerNamed(name);
      if (gang === undefined) throw new Error(`there is no gang scheduler ${name}`);
      const runPolicy = { startOrder: [{ role: 'Worker', dependsOn: ['Master'] }] };
      const written = job({ Master: { template }, Worker: { template } });
      const ordered = { ...written, spec: { ...written.spec, runPolicy } };
      const planned = plannedObjects(ordered, { ...OPTIONS, gang });
      const objects = 'objects' in planned ? planned.objects : [];
      const pods = objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata?.name);
      expect(pods).toEqual(['train-master-0', 'train-worker-0']);
    },
  );

  it('name the object if no field of the manifest is the cause', () => {
    const gang = {
      ...gangScheduler(),
      decorate: (pod: Pod) => ({ ...pod, metadata: { ...pod.metadata, labels: { 'a b': 'c' } } }),
    };
    const planned = plannedObjects(job({ Worker: { template } }), { ...OPTIONS, gang });
    expect('problems' in planned && planned.problems).toEqual([
      expect.stringMatching(/^Pod train-worker-0: metadata.labels: Invalid value: "a b": the key must be/),
    ]);
  });

  it.each([
    ['volumes that Muster adds to the pods', withMounts('mpi-job-config')],
    [
      'errors in the template of a group without replicas',
      ray('RayCluster', {
        headGroupSpec: { template },
        workerGroupSpecs: [{ groupName: 'small', replicas: 0, minReplicas: 0, ...withSpec({ hostname: 'A' }) }],
      }),
    ],
  ])('have no problem with %s', (_what, manifest) => {
    expect(plannedObjects(manifest, OPTIONS)).toHaveProperty('objects');
  });

  it('are one sentence if planning throws an unexpected error', () => {
    const decorate = () => {
      throw new TypeError('x is not iterable');
    };
    const gang = { ...gangScheduler(), decorate };
    const planned = plannedObjects(job({ Worker: { template } }), { ...OPTIONS, gang });
    const [sentence, ...others] = 'problems' in planned ? planned.problems : [];
    expect(sentence).toContain('Muster cannot plan this job: x is not iterable');
    expect(others).toEqual([]);
  });
});

const ray = (kind: 'RayCluster' | 'RayJob' | 'RayCronJob', spec: object, metadata: object = { name: 'train' }) => ({
  apiVersion: 'ray.io/v1',
  kind,
  metadata,
  spec,
});
const node = (name: string) => ({
  template: { spec: { containers: [{ name, image: 'registry.example/ray:2.60.0' }] } },
});
const CLUSTER = {
  headGroupSpec: node('ray-head'),
  workerGroupSpecs: [{ groupName: 'cpu', replicas: 1, minReplicas: 1, maxReplicas: 2, ...node('ray-worker') }],
};
const JOB = { entrypoint: 'python train.py', rayClusterSpec: CLUSTER };

function planned(manifest: object, options: object = {}) {
  const all = plannedObjects(manifest, { ...OPTIONS, ...options });
  if ('problems' in all) throw new Error(all.problems.join('\n'));
  return all.objects;
}

/** The name of a RayJob's cluster ends with a part of the job's UID, which a plan does not have. */
function names(manifest: object): string[] {
  return planned(manifest).map(
    ({ kind, metadata }) => `${kind} ${metadata?.name?.replace(/^train-[a-z2-7]{5}/, 'train-#')}`,
  );
}

describe('plannedObjects of Ray', () => {
  it('of a RayCluster include the permissions of its autoscaler', () => {
    expect(names(ray('RayCluster', { ...CLUSTER, enableInTreeAutoscaling: true }))).toEqual([
      'Service train-head-svc',
      'ServiceAccount train',
      'Role train',
      'RoleBinding train',
      'Pod train-head-0',
      'Pod train-cpu-worker-0',
    ]);
  });

  const OF_CLUSTER = [
    'RayCluster train-#',
    'Service train-#-head-svc',
    'Pod train-#-head-0',
    'Pod train-#-cpu-worker-0',
  ];

  it.each<[string, object, string[]]>([
    ['K8sJobMode', {}, [...OF_CLUSTER, 'Job train']],
    ['HTTPMode', { submissionMode: 'HTTPMode' }, OF_CLUSTER],
    ['SidecarMode', { submissionMode: 'SidecarMode' }, OF_CLUSTER],
    ['InteractiveMode', { submissionMode: 'InteractiveMode' }, OF_CLUSTER],
    ['suspended', { suspend: true, shutdownAfterJobFinishes: true }, [...OF_CLUSTER, 'Job train']],
  ])(
    'are the cluster of a RayJob, what that gets, and the submitter where it is a Job: %s',
    (_mode, spec, expected) => {
      expect(names(ray('RayJob', { ...JOB, ...spec }))).toEqual(expected);
    },
  );

  describe('of a RayCronJob', () => {
    const NIGHTLY = { schedule: '0 3 * * *', timeZone: 'Europe/Berlin', jobTemplate: JOB };
    const nowMs = Date.parse('2026-06-01T12:00:00Z');

    it.each([
      ['runs', {}],
      ['is suspended', { suspend: true }],
    ])('are the RayJob of its next run, and what that gets, if it %s', (_what, rest) => {
      const objects = planned(ray('RayCronJob', { ...NIGHTLY, ...rest }), { nowMs });
      const minute = Date.parse('2026-06-02T01:00:00Z') / 60_000;
      expect(objects.map(({ kind }) => kind)).toEqual(['RayJob', 'RayCluster', 'Service', 'Pod', 'Pod', 'Job']);
      expect(objects[0]?.metadata).toMatchObject({
        name: `train-${minute}`,
        annotations: { 'ray.io/cronjob-scheduled-timestamp': '2026-06-02T01:00:00Z' },
        ownerReferences: [{ kind: 'RayCronJob', name: 'train' }],
      });
    });

    it('are problems with their paths if schedule, time zone or template are invalid', () => {
      const problems = (rest: object) => {
        const answer = plannedObjects(ray('RayCronJob', { ...NIGHTLY, ...rest }), OPTIONS);
        return 'problems' in answer ? answer.problems.map((each) => each.split(':')[0]) : [];
      };
      expect(problems({ schedule: '0 3 30 2 *' })).toEqual(['spec.schedule']);
      expect(problems({ schedule: 'TZ=UTC 0 3 * * *' })).toEqual(['spec.schedule']);
      expect(problems({ timeZone: 'Europe/Bonn' })).toEqual(['spec.timeZone']);
      expect(problems({ jobTemplate: { ...JOB, entrypoint: ' ' } })).toEqual(['spec.jobTemplate.entrypoint']);
    });
  });

  describe('of a job on an existing cluster', () => {
    const clusterSelector = { 'ray.io/cluster': 'there' };
    const job = ray('RayJob', { entrypoint: 'python train.py', clusterSelector });
    const there = ray('RayCluster', CLUSTER, { name: 'there' });

    it('are the submitter, if that cluster is in the same file', () => {
      const [submitter, ...others] = planned(job, { manifests: [job, there] });
      expect(submitter).toMatchObject({ kind: 'Job', metadata: { ownerReferences: [{ kind: 'RayJob' }] } });
      expect(JSON.stringify(submitter)).toContain('there-head-svc.default.svc.cluster.local:8265');
      expect(others).toEqual([]);
      expect(warnings(job, { ...OPTIONS, manifests: [job, there] })).toEqual([]);
    });

    it.each([
      ['not in the file', []],
      ['of another namespace', [ray('RayCluster', CLUSTER, { name: 'there', namespace: 'elsewhere' })]],
      ['of another name', [ray('RayCluster', CLUSTER, { name: 'here' })]],
    ])('are none with a warning if that cluster is %s', (_what, others) => {
      const manifests = [job, ...others];
      expect(planned(job, { manifests })).toEqual([]);
      expect(warnings(job, { ...OPTIONS, manifests })).toEqual([
        expect.stringMatching(/^spec.clusterSelector: the submitter, Job train, is not shown: .* RayCluster there\./),
      ]);
    });

    it('are none with a warning in HTTPMode', () => {
      const http = ray('RayJob', { ...job.spec, submissionMode: 'HTTPMode' });
      expect(planned(http, { manifests: [http, there] })).toEqual([]);
      expect(warnings(http, OPTIONS)).toEqual([
        'spec.clusterSelector: the job uses the existing RayCluster there: no object is created',
      ]);
    });
  });

  it("submit to the cluster's own address", () => {
    const objects = planned(ray('RayJob', JOB), { namespace: 'team', clusterDomain: 'example.org' });
    const [cluster] = objects;
    const submitter = JSON.stringify(objects.at(-1));
    expect(submitter).toContain(`${cluster?.metadata?.name}-head-svc.team.svc.example.org:8265`);
    expect(JSON.stringify(objects)).not.toContain('cluster.local');
  });

  it('are problems if the spec of the cluster is invalid', () => {
    const [group] = CLUSTER.workerGroupSpecs;
    const bad = { ...CLUSTER, workerGroupSpecs: [{ ...group, minReplicas: 3 }] };
    const answer = plannedObjects(ray('RayJob', { ...JOB, rayClusterSpec: bad }), OPTIONS);
    expect('problems' in answer && answer.problems.join('\n')).toContain('spec.rayClusterSpec.workerGroupSpecs[0]');
  });
});

describe('warnings', () => {
  it('name fields without effect', () => {
    const manifest = ray('RayCluster', { ...CLUSTER, autoscalerOptions: {} });
    expect(warnings(manifest, OPTIONS)).toEqual([
      'spec.autoscalerOptions: ignored: no autoscaler runs: set enableInTreeAutoscaling to true',
    ]);
  });

  it('are empty for kinds without warnings', () => {
    expect(warnings(job({ Worker: { template } }), OPTIONS)).toEqual([]);
  });
});

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MANIFESTS = globSync(['examples/**/*.yaml', 'libs/adapters/*/golden/**/*.yaml'], { cwd: ROOT }).filter(
  (file) => !file.endsWith('.objects.yaml'),
);

describe('ignoredParts', () => {
  const [container] = template.spec.containers;
  const pod = (spec: object) => job({ Worker: { template: { spec: { ...template.spec, ...spec } } } });
  const inSpec = (spec: object) => ({ ...job({ Worker: { template } }), spec: { pytorchReplicaSpecs: {}, ...spec } });
  const WORKER = 'spec.pytorchReplicaSpecs[Worker]';

  it.each<[string, object, string]>([
    ['the outermost', { ...job({}), specs: {} }, 'specs: unknown field; did you mean spec?'],
    [
      "the spec's",
      inSpec({ runPolicy: { cleanPodPolic: 'All' } }),
      'spec.runPolicy.cleanPodPolic: unknown field; did you mean cleanPodPolicy?',
    ],
    ['nothing alike', inSpec({ gpus: 4 }), 'spec.gpus: unknown field'],
    ["a role's", job({ Worker: { replica: 2, template } }), `${WORKER}.replica: unknown field; did you mean replicas?`],
    [
      "a pod's",
      pod({ nodeSelectors: {} }),
      `${WORKER}.template.spec.nodeSelectors: unknown field; did you mean nodeSelector?`,
    ],
    [
      "a container's",
      pod({ containers: [{ ...container, imagepullPolicy: 'Never' }] }),
      `${WORKER}.template.spec.containers[0].imagepullPolicy: unknown field; did you mean imagePullPolicy?`,
    ],
    [
      "the metadata's",
      job({ Worker: { template } }, { name: 'train', anotations: {} }),
      'metadata.anotations: unknown field; did you mean annotations?',
    ],
    [
      'of a cluster in a RayJob',
      ray('RayJob', { ...JOB, rayClusterSpec: { ...CLUSTER, workerGroupSpec: [] } }),
      'spec.rayClusterSpec.workerGroupSpec: unknown field; did you mean workerGroupSpecs?',
    ],
    [
      "of a container of Ray's",
      ray('RayCluster', {
        headGroupSpec: { template: { spec: { containers: [{ name: 'ray-head', images: 'x' }] } } },
      }),
      'spec.headGroupSpec.template.spec.containers[0].images: unknown field; did you mean image?',
    ],
    [
      'an annotation',
      job({ Worker: { template } }, { name: 'train', annotations: { 'muster.dev/service-modes': 'PerJob' } }),
      'metadata.annotations[muster.dev/service-modes]: unknown annotation for kind PyTorchJob; did you mean muster.dev/service-mode?',
    ],
  ])('name ignored parts: %s', (_what, manifest, expected) => {
    expect(ignoredParts(manifest)).toEqual([expected]);
  });

  it('ignore maps with arbitrary keys, and the status', () => {
    const own = { labels: { any: 'x' }, annotations: { 'example.com/any': 'x' } };
    const resources = { limits: { 'example.com/gpu': 1 } };
    const spec = { containers: [{ ...container, resources }], nodeSelector: { any: 'x' } };
    const written = job({ Worker: { template: { metadata: own, spec } } }, { name: 'train', ...own });
    expect(ignoredParts({ ...written, status: { any: 'x' } })).toEqual([]);
  });

  it.each(MANIFESTS)('are empty for %s', (file) => {
    const documents = parseAllDocuments(readFileSync(`${ROOT}/${file}`, 'utf8'));
    expect(documents.flatMap((document) => ignoredParts(Object(document.toJS()) as object))).toEqual([]);
  });
});
