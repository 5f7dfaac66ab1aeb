/** Daily work with the command line on a real API server with simulated nodes. Each command is a separate process. */
import type { JobManifest } from '@muster/common-job-controller';
import { PODS, type KubeObject, type Resource } from '@muster/job-api';
import { eventually, NAMESPACES } from '@muster/testing';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { muster } from '../test-support/command-line.ts';
import { job, jobFixture, JOBS, TIMEOUT_MS, yaml } from '../test-support/job-fixture.ts';

const fixture = await jobFixture();
const elastic = { elasticPolicy: { minReplicas: 1, maxReplicas: 4 } };

describe('submitted jobs', { timeout: TIMEOUT_MS }, () => {
  it('are created all or none', async () => {
    const { code, err } = await fixture.run(['submit', '-f', '-'], yaml(job('first'), job('second', { workers: 0 })));
    expect({ code, err }).toMatchObject({
      code: 1,
      err: expect.stringContaining('PyTorchJob second is refused') as string,
    });
    await expect(fixture.jobNamed('first')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('have the name given by --name', async () => {
    const named = yaml({ ...job('x'), metadata: { generateName: 'train-' } });
    expect(await fixture.run(['submit', '-f', '-', '--name', 'renamed'], named)).toMatchObject({ code: 0 });
    await fixture.jobNamed('renamed');
    const { out } = await fixture.run(['submit', '-f', '-'], named);
    expect(out).toMatch(/^pytorchjob[.]kubeflow[.]org\/train-\w{5} created$/m);
  });

  it('are only printed with --dry-run', async () => {
    const { code, out } = await fixture.run(['submit', '-f', '-', '--dry-run'], yaml(job('dry')));
    const [stored] = parseAllDocuments(out).map((document) => document.toJS() as JobManifest);
    expect({ code, stored }).toMatchObject({
      code: 0,
      stored: { metadata: { name: 'dry', namespace: fixture.namespace }, spec: { runPolicy: { suspend: false } } },
    });
    await expect(fixture.jobNamed('dry')).rejects.toMatchObject({ reason: 'NotFound' });
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
    const { code, out, err } = await fixture.run(['submit', '-f', '-'], yaml(list));
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(out).toMatch(
      /^configmap\/of-list created\npytorchjob[.]kubeflow[.]org\/listed-\w{5} created\npytorchjob[.]kubeflow[.]org\/in-list created\n$/,
    );
    expect(err).toMatch(/wait pytorchjob\/listed-\w{5} -n .*\n.*wait pytorchjob\/in-list -n /);
    const [, name = ''] = /(listed-\w{5})/.exec(out) ?? [];
    await fixture.jobNamed(name);
    await fixture.jobNamed('in-list');
  });

  it('creates nothing if two objects have the same name', async () => {
    const { code, err } = await fixture.run(
      ['submit', '-f', '-'],
      yaml(job('twin'), plain('ConfigMap', 'twin'), job('twin')),
    );
    expect({ code, err }).toEqual({
      code: 1,
      err: 'error: document 1 and document 3 are both pytorchjob.kubeflow.org/twin: nothing is sent.\n',
    });
    await expect(fixture.jobNamed('twin')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('creates nothing if one object is refused, also beside a Namespace', async () => {
    const namespace = `${fixture.namespace}-new`;
    const file = yaml(plain('Namespace', namespace), job('sound'), job('unsound', { workers: 0 }));
    const { code, out, err } = await fixture.run(['submit', '-f', '-'], file);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/PyTorchJob unsound is refused:[^]*\nNothing has been created[.]\n$/);
    await expect(fixture.jobNamed('sound')).rejects.toMatchObject({ reason: 'NotFound' });
    await expect(fixture.client.get(NAMESPACES, { name: namespace })).rejects.toMatchObject({ reason: 'NotFound' });
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
      fixture.run(['submit', '-f', '-'], yaml(...objects(program), job(name)));
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
    await expect(fixture.jobNamed('again-3')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('lists created and missing objects if a quota is used up', async () => {
    const key = { namespace: fixture.others, name: 'secrets' };
    await fixture.client.create(QUOTAS, { metadata: key, spec: { hard: { secrets: '1' } } } as KubeObject);
    await eventually(async () => (await fixture.client.get(QUOTAS, key)).status?.hard !== undefined, {
      withinMs: 60_000,
    });
    const file = yaml(plain('Secret', 'first'), job('between'), plain('Secret', 'second'), plain('ConfigMap', 'last'));
    const { code, out, err } = await fixture.run(['submit', '-f', '-'], file, fixture.others);
    expect({ code, out }).toEqual({ code: 1, out: 'secret/first created\npytorchjob.kubeflow.org/between created\n' });
    expect(err).toMatch(/^error: Secret second is refused:\n.*exceeded quota/);
    expect(err).toMatch(
      /\nCreated: secret\/first, pytorchjob[.]kubeflow[.]org\/between[.]\nNot created: secret\/second, configmap\/last[.]\n$/,
    );
  });

  it('keeps all digits of integers in requests and output', async () => {
    const text = '9007199254740993';
    const manifest = yaml(job('exact')).replace('replicas: 2', `replicas: ${text}`);
    const refused = await fixture.run(['submit', '-f', '-', '--dry-run', '--validate', 'ignore'], manifest);
    expect(refused.err).toContain(text);
    const port = 'image: registry.example/train:1';
    const exact = yaml(job('exact')).replace(port, `${port}\n              x-exact: ${text}`);
    const shown = await fixture.run(['submit', '-f', '-', '--dry-run', '--validate', 'ignore'], exact);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`x-exact: ${text}`) as string });
  });
});

describe('a job that is deleted', { timeout: TIMEOUT_MS }, () => {
  it('is awaited until its finalizers are gone', async () => {
    const held = job('held');
    await fixture.submit({ ...held, metadata: { ...held.metadata, finalizers: ['example.org/hold'] } });
    const { code, out, err } = await fixture.run(['delete', 'held', '--timeout', '1s']);
    expect({ code, out }).toEqual({ code: 4, out: '' });
    expect(err).toContain('held is being deleted, but still exists after 1s. Its finalizers: example.org/hold.');
    const waiting = fixture.begin(['delete', 'held']);
    await fixture.client.patch(
      JOBS,
      { namespace: fixture.namespace, name: 'held' },
      { metadata: { finalizers: null } },
    );
    expect(await waiting.ended).toMatchObject({ out: expect.not.stringContaining('is still there') as string });
    await expect(fixture.jobNamed('held')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('is deleted after its pods with --cascade foreground', async () => {
    await fixture.submit(job('cascade'));
    expect(await fixture.run(['wait', 'cascade', '--for', 'running'])).toMatchObject({ code: 0 });
    expect(await fixture.run(['delete', 'cascade', '--cascade', 'foreground'])).toMatchObject({ code: 0 });
    const { items } = await fixture.client.list(PODS, { namespace: fixture.namespace });
    expect(items.filter(({ metadata }) => metadata?.name?.startsWith('cascade-'))).toEqual([]);
  });
});

const QUOTAS: Resource<KubeObject & { status?: { hard?: object } }> = {
  ...{ group: '', version: 'v1', kind: 'ResourceQuota', plural: 'resourcequotas', namespaced: true },
};

describe('a job that runs', { timeout: TIMEOUT_MS }, () => {
  it('is scaled within its bounds, suspended, resumed and deleted', async () => {
    await fixture.submit(job('day', { spec: elastic }));
    expect(await fixture.run(['wait', 'day', '--for', 'running'])).toMatchObject({ code: 0 });
    const scaled = await fixture.run(['scale', 'day', 'worker=3']);
    expect(scaled).toMatchObject({ code: 0, out: `PyTorchJob ${fixture.namespace}/day: Worker scaled from 2 to 3\n` });
    await fixture.client.get(PODS, { namespace: fixture.namespace, name: 'day-worker-0' });
    await eventually(() => fixture.client.get(PODS, { namespace: fixture.namespace, name: 'day-worker-2' }), {
      withinMs: 60_000,
    });
    const refused = await fixture.run(['scale', 'day', '9']);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/cannot be scaled: elasticPolicy allows 1 to 4/) as string,
    });

    expect(await fixture.run(['suspend', 'day'])).toMatchObject({
      code: 0,
      out: `PyTorchJob ${fixture.namespace}/day suspended\n`,
    });
    expect(await fixture.run(['wait', 'day', '--for', 'suspended'])).toMatchObject({ code: 0 });
    expect(await fixture.run(['why', 'day'])).toMatchObject({ out: expect.stringContaining('is suspended') as string });
    expect(await fixture.run(['logs', 'day'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('the job is suspended') as string,
    });
    expect(await fixture.run(['suspend', 'day'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('already') as string,
    });
    expect(await fixture.run(['resume', 'day'])).toMatchObject({ code: 0 });
    expect(await fixture.run(['wait', 'day', '--for', 'running'])).toMatchObject({ code: 0 });

    const events = await fixture.run(['events', 'day']);
    for (const reason of ['PyTorchJobSuspended', 'SuccessfulCreatePod', 'Scheduled'])
      expect(events.out).toContain(reason);

    expect(await fixture.run(['delete', 'day'])).toMatchObject({
      code: 0,
      out: `PyTorchJob ${fixture.namespace}/day deleted\n`,
    });
    await expect(fixture.jobNamed('day')).rejects.toMatchObject({ reason: 'NotFound' });
  });

  it('is followed by its events', async () => {
    await fixture.submit(job('followed', { spec: elastic }));
    const following = fixture.begin(['events', '-f', 'followed']);
    await following.printed('PyTorchJobRunning');
    expect(await fixture.run(['suspend', 'followed'])).toMatchObject({ code: 0 });
    await following.printed('PyTorchJobSuspended');
    following.child.kill('SIGINT');
    expect(await following.ended).toMatchObject({ code: 130 });
  });

  it('has a message if it has no events', async () => {
    await fixture.submit(job('eventless', { spec: { runPolicy: { managedBy: 'kueue.x-k8s.io/multikueue' } } }));
    expect(await fixture.run(['events', 'eventless'])).toMatchObject({
      code: 0,
      out: '',
      err: expect.stringContaining(`No events of PyTorchJob ${fixture.namespace}/eventless and its pods`) as string,
    });
  });

  it('is selected by state, kind and namespace in lists', async () => {
    await fixture.submit(job('listed'));
    expect(await fixture.run(['wait', 'listed', '--for', 'running'])).toMatchObject({ code: 0 });
    // It runs with the first of its pods, and counts are written a little later than states.
    const out = await eventually(async () => {
      const { out: listed } = await fixture.run(['list', '--state', 'running']);
      expect(listed).toMatch(/^listed +PyTorchJob +Running +2\/2 +0 +\d+s$/m);
      return listed;
    });
    expect(out).toMatch(/^NAME +KIND +STATE +READY +RESTARTS +AGE$/m);
    const names = await fixture.run(['list', '-o', 'name', '--kind', 'pytorchjob']);
    expect(names.out.split('\n')).toContain('pytorchjob.kubeflow.org/listed');
    expect(await fixture.run(['get', 'pytorchjob.kubeflow.org/listed'])).toMatchObject({ code: 0 });
    const json = await fixture.run(['list', '-A', '-o', 'json']);
    const { items } = JSON.parse(json.out) as { items: JobManifest[] };
    expect(items.map(({ metadata }) => metadata?.name)).toContain('listed');
  });
});

describe('a job that has ended', { timeout: TIMEOUT_MS }, () => {
  it('names the policy that deleted the logs of rank 1', async () => {
    const cleaned = job('cleaned', { end: 'succeed', spec: { runPolicy: { cleanPodPolicy: 'All' } } });
    expect(await fixture.run(['submit', '-f', '-', '--wait'], yaml(cleaned))).toMatchObject({ code: 0 });
    await eventually(async () => (await fixture.run(['logs', 'cleaned', '--replica', 'worker-1'])).code === 5, {
      withinMs: 60_000,
    });
    const { err } = await fixture.run(['logs', 'cleaned', '--replica', 'worker-1']);
    expect(err).toContain('The pod of worker-1');
    expect(err).toContain('is deleted, with the log, because of cleanPodPolicy All');
  });
});

describe('why a job waits', { timeout: TIMEOUT_MS }, () => {
  it('shows that a quota is used up', async () => {
    const key = { namespace: fixture.second, name: 'pods' };
    await fixture.client.create(QUOTAS, { metadata: key, spec: { hard: { pods: '1' } } } as KubeObject);
    // It holds from then on.
    await eventually(async () => (await fixture.client.get(QUOTAS, key)).status?.hard !== undefined, {
      withinMs: 60_000,
    });
    await fixture.submit(job('poor'), fixture.second);
    const waiting = fixture.begin(['wait', 'poor'], '', fixture.second);
    await waiting.printed('exceeded quota');
    waiting.child.kill('SIGINT');
    await waiting.ended;
    const { code, out } = await fixture.run(['why', 'poor'], '', fixture.second);
    expect(code).toBe(0);
    expect(out).toContain('exceeded quota: pods, requested: pods=1, used: pods=1, limited: pods=1');
    expect(out).toContain(`kubectl describe resourcequota pods -n ${fixture.second}`);
  });

  it('shows that no node has enough resources', async () => {
    await fixture.submit(job('large', { cpu: '1000' }));
    const waiting = fixture.begin(['wait', 'large']);
    await waiting.printed('Unschedulable');
    waiting.child.kill('SIGINT');
    await waiting.ended;
    const { out } = await fixture.run(['why', 'large']);
    expect(out).toMatch(/worker-0, worker-1 do not start: Unschedulable: 0\/\d+ nodes are available/);
    // The printed command, as a user pastes it. Before it, the name is in use.
    const corrected = yaml(job('large'));
    expect(await fixture.run(['submit', '-f', '-'], corrected)).toMatchObject({
      code: 1,
      err: expect.stringContaining('PyTorchJob large already exists: delete it') as string,
    });
    const [, pasted = ''] = /delete it first\n {2}muster (delete .+)\n/.exec(out) ?? [];
    expect(await muster(pasted.split(' '), '').ended).toMatchObject({ code: 0 });
    expect(await fixture.run(['submit', '-f', '-'], corrected)).toMatchObject({ code: 0 });
  });
});

describe('a job that another operator runs', { timeout: TIMEOUT_MS }, () => {
  it('is shown by its conditions and labels', async () => {
    const key = { namespace: fixture.others, name: 'theirs' };
    const made = await fixture.client.create(JOBS, { ...job('theirs'), metadata: key });
    expect(await fixture.run(['why', 'theirs'], '', fixture.others)).toMatchObject({
      out: expect.stringContaining('no operator has reconciled it yet') as string,
    });
    const waiting = fixture.begin(['wait', 'theirs'], '', fixture.others);
    await waiting.printed('no operator has reconciled it yet');
    for (const index of ['0', '1']) {
      await fixture.client.create(PODS, {
        metadata: {
          name: `theirs-worker-${index}`,
          namespace: fixture.others,
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
      fixture.client.patchStatus(JOBS, key, { status: { conditions: types.map(condition) } });
    await patch('Created', 'Running');
    await waiting.printed('Running, 2/2 ready');
    expect((await fixture.run(['list'], '', fixture.others)).out).toMatch(/^theirs +PyTorchJob +Running +\S+ +- /m);
    expect((await fixture.run(['get', 'theirs'], '', fixture.others)).out).toMatch(
      /^ {2}worker-1 +theirs-worker-1 +Running /m,
    );
    await patch('Created', 'Running', 'Succeeded');
    expect(await waiting.ended).toMatchObject({ code: 0 });
  });
});
