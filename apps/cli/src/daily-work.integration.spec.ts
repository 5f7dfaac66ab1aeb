/** Daily work with the command line on a real API server with simulated nodes. Each command is a separate process. */
import type { JobManifest } from '@muster/common-job-controller';
import { PODS, type KubeObject, type Resource } from '@muster/job-api';
import { eventually, NAMESPACES } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { job, jobFixture, JOBS, TIMEOUT_MS, yaml } from '../test-support/job-fixture.ts';

const stage = await jobFixture();
const elastic = { elasticPolicy: { minReplicas: 1, maxReplicas: 4 } };

describe('submitted jobs', { timeout: TIMEOUT_MS }, () => {
  it('are created all or none', async () => {
    const { code, err } = await stage.run(['submit', '-f', '-'], yaml(job('first'), job('second', { workers: 0 })));
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('PyTorchJob second is refused') as string,
    });
    await expect(stage.jobNamed('first')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('have the name given by --name', async () => {
    const named = yaml({ ...job('x'), metadata: { generateName: 'train-' } });
    expect(await stage.run(['submit', '-f', '-', '--name', 'renamed'], named)).toMatchObject({ code: 0 });
    await stage.jobNamed('renamed');
    const { out } = await stage.run(['submit', '-f', '-'], named);
    expect(out).toMatch(/^pytorchjob[.]kubeflow[.]org\/train-\w{5} created$/m);
  });

  it('are only printed with --dry-run', async () => {
    const { code, out } = await stage.run(['submit', '-f', '-', '--dry-run'], yaml(job('dry')));
    const [stored] = parseAllDocuments(out).map((document) => document.toJS() as JobManifest);
    expect({ code, stored }).toMatchObject({
      code: 0,
      stored: { metadata: { name: 'dry', namespace: stage.namespace }, spec: { runPolicy: { suspend: false } } },
    });
    await expect(stage.jobNamed('dry')).rejects.toMatchObject({ reason: 'NotFound' });
  });
});

/** Objects of one kind, by the names that they are created with. */
const plain = (kind: string, name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name },
  ...more,
});

describe('a file of several objects', { timeout: TIMEOUT_MS }, () => {
  it('may be a list, with names that the API server completes', async () => {
    const unnamed = { ...job('x'), metadata: { generateName: 'listed-' } };
    const list = { apiVersion: 'v1', kind: 'List', items: [plain('ConfigMap', 'of-list'), unnamed, job('in-list')] };
    const { code, out, err } = await stage.run(['submit', '-f', '-'], yaml(list));
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toMatch(
      /^configmap\/of-list created\npytorchjob[.]kubeflow[.]org\/listed-\w{5} created\npytorchjob[.]kubeflow[.]org\/in-list created\n$/,
    );
    expect(err).toMatch(/wait pytorchjob\/listed-\w{5} -n .*\n.*wait pytorchjob\/in-list -n /);
    const [, name = ''] = /(listed-\w{5})/.exec(out) ?? [];
    await stage.jobNamed(name);
    await stage.jobNamed('in-list');
  });

  it('creates nothing if two objects have the same name', async () => {
    const { code, err } = await stage.run(
      ['submit', '-f', '-'],
      yaml(job('twin'), plain('ConfigMap', 'twin'), job('twin')),
    );
    expect({ code, err }).toEqual({
      code: 1,
      err: 'error: document 1 and document 3 are both pytorchjob.kubeflow.org/twin: nothing is sent.\n',
    });
    await expect(stage.jobNamed('twin')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('creates nothing if one object is refused, also beside a Namespace', async () => {
    const namespace = `${stage.namespace}-new`;
    const file = yaml(plain('Namespace', namespace), job('sound'), job('unsound', { workers: 0 }));
    const { code, out, err } = await stage.run(['submit', '-f', '-'], file);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/PyTorchJob unsound is refused:[^]*\nNothing has been created[.]\n$/);
    await expect(stage.jobNamed('sound')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(stage.client.get(NAMESPACES, { name: namespace })).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('is submitted again for another job if its other objects exist unchanged', async () => {
    const service = { spec: { selector: { app: 'a' }, ports: [{ port: 80 }], clusterIP: 'None' } };
    const claim = { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
    const objects = (program: string) => [
      plain('ConfigMap', 'again', { data: { 'train.py': program } }),
      plain('Secret', 'again', { stringData: { token: 'secret' } }),
      plain('Service', 'again', service),
      plain('PersistentVolumeClaim', 'again', claim),
    ];
    const send = (name: string, program: string) =>
      stage.run(['submit', '-f', '-'], yaml(...objects(program), job(name)));
    expect(await send('again-1', 'print(1)')).toMatchObject({ code: 0 });
    const names = ['configmap', 'secret', 'service', 'persistentvolumeclaim'].map(
      (kind) => `${kind}/again unchanged\n`,
    );
    expect(await send('again-2', 'print(1)')).toMatchObject({
      code: 0,
      out: `${names.join('')}pytorchjob.kubeflow.org/again-2 created\n`,
    });
    const { code, out, err } = await send('again-3', 'print(2)');
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(
      /^error: ConfigMap again already exists, and differs from the file in data\[train[.]py\]: delete it .*\nNothing has been created[.]\n$/,
    );
    await expect(stage.jobNamed('again-3')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('lists created and missing objects if a quota is used up', async () => {
    const key = { namespace: stage.others, name: 'secrets' };
    await stage.client.create(QUOTAS, { metadata: key, spec: { hard: { secrets: '1' } } } as KubeObject);
    await eventually(async () => (await stage.client.get(QUOTAS, key)).status?.hard !== undefined, {
      withinMs: 60_000,
    });
    const file = yaml(plain('Secret', 'first'), job('between'), plain('Secret', 'second'), plain('ConfigMap', 'last'));
    const { code, out, err } = await stage.run(['submit', '-f', '-'], file, stage.others);
    expect({ code, out }).toEqual({ code: 1, out: 'secret/first created\npytorchjob.kubeflow.org/between created\n' });
    expect(err).toMatch(/^error: Secret second is refused:\n.*exceeded quota/);
    expect(err).toMatch(
      /\nCreated: secret\/first, pytorchjob[.]kubeflow[.]org\/between[.]\nNot created: secret\/second, configmap\/last[.]\n$/,
    );
  });

  it('keeps all digits of integers in requests and output', async () => {
    const text = '9007199254740993';
    const manifest = yaml(job('exact')).replace('replicas: 2', `replicas: ${text}`);
    const refused = await stage.run(['submit', '-f', '-', '--dry-run', '--validate', 'ignore'], manifest);
    expect(refused.err).toContain(text);
    const port = 'image: registry.example/train:1';
    const exact = yaml(job('exact')).replace(port, `${port}\n              x-exact: ${text}`);
    const shown = await stage.run(['submit', '-f', '-', '--dry-run', '--validate', 'ignore'], exact);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`x-exact: ${text}`) as string });
  });
});

describe('a job that is deleted', { timeout: TIMEOUT_MS }, () => {
  it('is awaited until its finalizers are gone', async () => {
    const held = job('held');
    await stage.submit({ ...held, metadata: { ...held.metadata, finalizers: ['example.org/hold'] } });
    const { code, out, err } = await stage.run(['delete', 'held', '--timeout', '1s']);
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toContain('held is being deleted, but still exists after 1s. Its finalizers: example.org/hold.');
    const waiting = stage.begin(['delete', 'held']);
    await stage.client.patch(JOBS, { namespace: stage.namespace, name: 'held' }, { metadata: { finalizers: null } });
    expect(await waiting.ended).toMatchObject({ out: expect.not.stringContaining('is still there') as string });
    await expect(stage.jobNamed('held')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('is deleted after its pods with --cascade foreground', async () => {
    await stage.submit(job('cascade'));
    expect(await stage.run(['wait', 'cascade', '--for', 'running'])).toMatchObject({ code: 0 });
    expect(await stage.run(['delete', 'cascade', '--cascade', 'foreground'])).toMatchObject({ code: 0 });
    const { items } = await stage.client.list(PODS, { namespace: stage.namespace });
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith('cascade-'))).toEqual([]);
  });
});

const QUOTAS: Resource<KubeObject & { status?: { hard?: object } }> = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true },
};

describe('a job that runs', { timeout: TIMEOUT_MS }, () => {
  it('is scaled within its bounds, suspended, resumed and deleted', async () => {
    await stage.submit(job('day', { spec: elastic }));
    expect(await stage.run(['wait', 'day', '--for', 'running'])).toMatchObject({ code: 0 });
    const scaled = await stage.run(['scale', 'day', 'worker=3']);
    expect(scaled).toMatchObject({ code: 0, out: `PyTorchJob ${stage.namespace}/day: Worker scaled from 2 to 3\n` });
    await stage.client.get(PODS, { namespace: stage.namespace, name: 'day-worker-0' });
    await eventually(() => stage.client.get(PODS, { namespace: stage.namespace, name: 'day-worker-2' }), {
      withinMs: 60_000,
    });
    const refused = await stage.run(['scale', 'day', '9']);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be scaled: elasticPolicy allows 1 to 4/) as string,
    });

    expect(await stage.run(['suspend', 'day'])).toMatchObject({
      code: 0,
      out: `PyTorchJob ${stage.namespace}/day suspended\n`,
    });
    expect(await stage.run(['wait', 'day', '--for', 'suspended'])).toMatchObject({ code: 0 });
    expect(await stage.run(['why', 'day'])).toMatchObject({ out: expect.stringContaining('is suspended') as string });
    expect(await stage.run(['logs', 'day'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('the job is suspended') as string,
    });
    expect(await stage.run(['suspend', 'day'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('already') as string,
    });
    expect(await stage.run(['resume', 'day'])).toMatchObject({ code: 0 });
    expect(await stage.run(['wait', 'day', '--for', 'running'])).toMatchObject({ code: 0 });

    const events = await stage.run(['events', 'day']);
    for (const reason of ['PyTorchJobSuspended', 'SuccessfulCreatePod', 'Scheduled'])
      expect(events.out).toContain(reason);

    expect(await stage.run(['delete', 'day'])).toMatchObject({
      code: 0,
      out: `PyTorchJob ${stage.namespace}/day deleted\n`,
    });
    await expect(stage.jobNamed('day')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('is followed by its events', async () => {
    await stage.submit(job('followed', { spec: elastic }));
    const following = stage.begin(['events', '-f', 'followed']);
    await following.said('PyTorchJobRunning');
    expect(await stage.run(['suspend', 'followed'])).toMatchObject({ code: 0 });
    await following.said('PyTorchJobSuspended');
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 130 });
  });

  it('has a message if it has no events', async () => {
    await stage.submit(job('eventless', { spec: { runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } } }));
    expect(await stage.run(['events', 'eventless'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining(`No events of PyTorchJob ${stage.namespace}/eventless and its pods`) as string,
    });
  });

  it('is selected by state, kind and namespace in lists', async () => {
    await stage.submit(job('listed'));
    expect(await stage.run(['wait', 'listed', '--for', 'running'])).toMatchObject({ code: 0 });
    // It runs with the first of its pods, and counts are written a little later than states.
    const out = await eventually(async () => {
      const { out: listed } = await stage.run(['list', '--state', 'running']);
      expect(listed).toMatch(/^listed +PyTorchJob +Running +2\/2 +0 +\d+s$/m);
      return listed;
    });
    expect(out).toMatch(/^NAME +KIND +STATE +READY +RESTARTS +AGE$/m);
    const names = await stage.run(['list', '-o', 'name', '--kind', 'pytorchjob']);
    expect(names.out.split('\n')).toContain('pytorchjob.kubeflow.org/listed');
    expect(await stage.run(['get', 'pytorchjob.kubeflow.org/listed'])).toMatchObject({ code: 0 });
    const json = await stage.run(['list', '-A', '-o', 'json']);
    const { items } = JSON.parse(json.out) as { items: JobManifest[] };
    expect(items.map(({ metadata }) => metadata?.name)).toContain('listed');
  });
});

describe('a job that has ended', { timeout: TIMEOUT_MS }, () => {
  it('names the policy that deleted the logs of rank 1', async () => {
    const cleaned = job('cleaned', { end: 'succeed', spec: { runPolicy: { cleanPodPolicy: 'All' } } });
    expect(await stage.run(['submit', '-f', '-', '--wait'], yaml(cleaned))).toMatchObject({ code: 0 });
    await eventually(async () => (await stage.run(['logs', 'cleaned', '--replica', 'worker-1'])).code === 5, {
      withinMs: 60_000,
    });
    const { err } = await stage.run(['logs', 'cleaned', '--replica', 'worker-1']);
    expect(err).toContain('The pod of worker-1');
    expect(err).toContain('is deleted, with the log, because of cleanPodPolicy All');
  });
});

describe('why a job waits', { timeout: TIMEOUT_MS }, () => {
  it('shows that a quota is used up', async () => {
    const key = { namespace: stage.second, name: 'pods' };
    await stage.client.create(QUOTAS, { metadata: key, spec: { hard: { pods: '1' } } } as KubeObject);
    // It holds from then on.
    await eventually(async () => (await stage.client.get(QUOTAS, key)).status?.hard !== undefined, {
      withinMs: 60_000,
    });
    await stage.submit(job('poor'), stage.second);
    const waiting = stage.begin(['wait', 'poor'], '', stage.second);
    await waiting.said('exceeded quota');
    waiting.child.kill('SIGINT');
    await waiting.ended;
    const { code, out } = await stage.run(['why', 'poor'], '', stage.second);
    expect(code).toBe(0);
    expect(out).toContain('exceeded quota: pods, requested: pods=1, used: pods=1, limited: pods=1');
    expect(out).toContain(`kubectl describe resourcequota pods -n ${stage.second}`);
  });

  it('shows that no node has enough resources', async () => {
    await stage.submit(job('large', { cpu: '1000' }));
    const waiting = stage.begin(['wait', 'large']);
    await waiting.said('Unschedulable');
    waiting.child.kill('SIGINT');
    await waiting.ended;
    const { out } = await stage.run(['why', 'large']);
    expect(out).toMatch(/worker-0, worker-1 do not start: Unschedulable: 0\/\d+ nodes are available/);
  });
});

describe('a job that another operator runs', { timeout: TIMEOUT_MS }, () => {
  it('is shown by its conditions and labels', async () => {
    const key = { namespace: stage.others, name: 'theirs' };
    const made = await stage.client.create(JOBS, { ...job('theirs'), metadata: key });
    expect(await stage.run(['why', 'theirs'], '', stage.others)).toMatchObject({
      out: expect.stringContaining('no operator has reconciled it yet') as string,
    });
    const waiting = stage.begin(['wait', 'theirs'], '', stage.others);
    await waiting.said('no operator has reconciled it yet');
    for (const index of ['0', '1']) {
      await stage.client.create(PODS, {
        metadata: {
          name: `theirs-worker-${index}`,
          namespace: stage.others,
          labels: {
            'training.kubeflow.org/job-name': 'theirs',
            'training.kubeflow.org/operator-name': 'pytorchjob-controller',
            'training.kubeflow.org/replica-type': 'worker',
            'training.kubeflow.org/replica-index': index,
          },
          ownerReferences: [
            {
              apiVersion: 'kubeflow.org/v1',
              kind: 'PyTorchJob',
              name: 'theirs',
              uid: made.metadata?.uid ?? '',
              controller: true,
            },
          ],
        },
        spec: { containers: [{ name: 'pytorch', image: 'registry.example/train:1' }] },
      });
    }
    const condition = (type: string) => ({
      type,
      status: 'True',
      reason: `PyTorchJob${type}`,
      message: `PyTorchJob theirs is ${type}.`,
    });
    const patch = (...types: string[]) =>
      stage.client.patchStatus(JOBS, key, { status: { conditions: types.map(condition) } });
    await patch('Created', 'Running');
    await waiting.said('Running, 2/2 ready');
    expect((await stage.run(['list'], '', stage.others)).out).toMatch(/^theirs +PyTorchJob +Running +\S+ +- /m);
    expect((await stage.run(['get', 'theirs'], '', stage.others)).out).toMatch(
      /^ {2}worker-1 +theirs-worker-1 +Running /m,
    );
    await patch('Created', 'Running', 'Succeeded');
    expect(await waiting.ended).toMatchObject({ code: 0 });
  });
});
