/** Exit codes and messages of commands on a real API server. The table has every exit code. */
import type { JobManifest } from '@muster/common-job-controller';
import { RAY_CLUSTERS, TF_JOBS, type Resource } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { muster } from '../test-support/command-line.ts';
import { job, jobFixture, TIMEOUT_MS, yaml } from '../test-support/job-fixture.ts';
import { EXIT_CODES } from './exit-codes.ts';

const TENSORFLOW: Resource<JobManifest> = TF_JOBS;
const RAY: Resource<JobManifest> = RAY_CLUSTERS;

const stage = await jobFixture();

describe('how commands end', { timeout: TIMEOUT_MS }, () => {
  interface Case {
    readonly args: readonly string[];
    readonly input?: string;
    readonly says: string | RegExp;
  }

  const CASES: Readonly<Record<keyof typeof EXIT_CODES, readonly Case[]>> = {
    done: [
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('ends-well', { end: 'succeed' })),
        says: /Succeeded, .*\n.*ends-well has succeeded[.]$/m,
      },
      { args: ['wait', 'ends-badly', '--for', 'finished'], says: 'Failed' },
      { args: ['wait', 'ends-badly', '--for', 'failed'], says: 'Failed' },
      { args: ['get', 'ptjob/ends-well'], says: 'ends-well, Succeeded' },
      { args: ['why', 'ends-well'], says: 'has succeeded' },
      { args: ['suspend', '--help'], says: 'Examples:' },
      {
        args: ['submit', '-f', '-', '--validate', 'ignore'],
        input: yaml(job('ignored-field', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        says: /^pytorchjob[.]kubeflow[.]org\/ignored-field created\nFollow it with: muster wait pytorchjob\/ignored-field -n \S+ --kubeconfig \S+\n$/,
      },
      {
        args: ['submit', '-f', '-', '--validate', 'warn', '--dry-run'],
        input: yaml(job('warned-field', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        says: /warning: document 1: spec[.]runPolicy[.]cleanPodPolic: unknown field; did you mean cleanPodPolicy[?]\n$/,
      },
      {
        args: ['submit', '-f', '-', '--validate', 'warn', '--dry-run'],
        input: yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, daat: {} }),
        says: /warning: unknown field "daat"\n$/,
      },
    ],
    error: [
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('refused', { workers: 0 })),
        says: /PyTorchJob refused is refused:\n {2}spec[.]pytorchReplicaSpecs\[Worker][.]replicas: .*must be at least 1/,
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('misspelt', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        says: '- is not submitted:\n  document 1: spec.runPolicy.cleanPodPolic: unknown field; did you mean cleanPodPolicy?',
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('ends-well')),
        says: 'PyTorchJob ends-well already exists: delete it, or',
      },
      { args: ['submit', '-f', '/nowhere.yaml'], says: 'no such file' },
      {
        args: ['submit', '-f', '-'],
        input: yaml({ apiVersion: 'example.org/v1', kind: 'Cake', metadata: { name: 'c' } }),
        says: 'This cluster serves no Cake of example.org/v1; check apiVersion and kind.',
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml({ apiVersion: 'kubeflow.org/v1', kind: 'PytorchJob', metadata: { name: 'c' } }),
        says: 'This cluster serves no PytorchJob of kubeflow.org/v1; did you mean PyTorchJob?',
      },
      { args: ['scale', 'ends-well', '3'], says: 'cannot be scaled: it has ended.' },
      { args: ['suspend', 'ends-well'], says: 'has ended: there is nothing to suspend.' },
    ],
    usage: [
      { args: ['scale', 'ends-well', 'more'], says: '"more" is not a size' },
      { args: ['get', 'cake/ends-well'], says: '"cake" is not a kind of job: use one of tfjob, pytorchjob, mpijob' },
      { args: ['list', '--kind', 'cake'], says: '"cake" is not a kind of job' },
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('a'), job('b')),
        says: '--wait needs exactly one job, and no --dry-run; jobs in -: 2',
      },
      {
        args: ['wait', 'raycluster/two', '--for', 'succeeded'],
        says: 'never ends: use --for running or --for suspended',
      },
    ],
    jobFailed: [
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('ends-badly', { end: 'fail' })),
        says: /ends-badly has failed: .*exit code 137.*\nSee why: muster why pytorchjob\/ends-badly -n /,
      },
      { args: ['wait', 'ends-badly'], says: 'has failed' },
      { args: ['wait', 'ends-well', '--for', 'failed'], says: 'has succeeded' },
      { args: ['wait', 'ends-well', '--for', 'suspended'], says: 'has succeeded' },
    ],
    timeout: [
      {
        args: ['wait', 'too-large', '--timeout', '1s'],
        says: /has not succeeded after 1s[.] It continues[.]\nSee what it waits for: muster why/,
      },
    ],
    notFound: [
      {
        args: ['get', 'nothing'],
        says: /There is no job nothing in namespace .*[.] Searched kinds: TFJob, PyTorchJob, MPIJob/,
      },
      { args: ['logs', 'too-large', '--replica', 'worker-7'], says: 'has no worker-7: its roles are Worker' },
      { args: ['delete', 'tfjob/too-large'], says: 'There is no job tfjob/too-large' },
    ],
    ambiguous: [
      {
        args: ['get', 'two'],
        says: /Several jobs have the name two in namespace .*[.] Use one of:\n {2}tfjob\/two\n {2}raycluster\/two/,
      },
    ],
    forbidden: [
      { args: ['get', 'ends-well', '--as', 'no-access'], says: 'it is unknown whether job ends-well exists' },
      { args: ['list', '--as', 'no-access'], says: 'You are not allowed to list TFJob, PyTorchJob' },
      {
        args: ['submit', '-f', '-', '--as', 'no-access', '--as-group', 'no-group'],
        input: yaml(job('not-allowed')),
        says: 'error: PyTorchJob not-allowed: pytorchjobs.kubeflow.org is forbidden: User "no-access" cannot create resource',
      },
    ],
    interrupted: [],
  };

  beforeAll(async () => {
    const template = { spec: { containers: [{ name: 'tensorflow', image: 'registry.example/train:1' }] } };
    const ray = { spec: { containers: [{ name: 'ray', image: 'registry.example/ray:2' }] } };
    const two = { name: 'two', namespace: stage.namespace };
    await stage.client.create(TENSORFLOW, { metadata: two, spec: { tfReplicaSpecs: { Worker: { template } } } });
    const cluster = { metadata: two, spec: { headGroupSpec: { template: ray }, workerGroupSpecs: [] } };
    await stage.client.create(RAY, cluster);
    await stage.submit(job('too-large', { cpu: '1000' }));
  }, TIMEOUT_MS);

  type Ending = keyof typeof EXIT_CODES;
  const all = (Object.keys(CASES) as Ending[]).flatMap((ending) =>
    CASES[ending].map((each) => ({ ...each, code: EXIT_CODES[ending].code, title: each.args.join(' ') })),
  );
  const isFirst = ({ args }: Case) => args.includes('--wait');
  const play = async ({ args, input, code, says }: Case & { code: number }) => {
    const { out, err, ...ended } = await stage.run(args, input);
    expect({ ...ended, printed: out + err }).toEqual({ code, printed: expect.stringMatching(says) as string });
  };

  // The other cases read the jobs that these create.
  it.each(all.filter(isFirst))('$code: $title', play);
  it.concurrent.each(all.filter((each) => !isFirst(each)))('$code: $title', play);

  it('130: Ctrl-C does not change the job, and shows how to follow it', async () => {
    const waiting = stage.begin(['wait', 'too-large']);
    await waiting.said('Unschedulable');
    waiting.child.kill('SIGINT');
    const { code, err } = await waiting.ended;
    expect(code).toBe(EXIT_CODES.interrupted.code);
    expect(err).toContain(
      `too-large continues. Follow it with: muster wait pytorchjob/too-large -n ${stage.namespace}`,
    );
    expect((await stage.jobNamed('too-large')).metadata?.deletionTimestamp).toBeUndefined();
  });

  it('130: Ctrl-C while submit follows a job', async () => {
    const sent = stage.begin(['submit', '-f', '-', '--wait'], yaml(job('goes-on')));
    await sent.said('Running, 2/2 ready');
    sent.child.kill('SIGINT');
    const { code, err } = await sent.ended;
    expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining('goes-on continues.') as string });
    expect(await stage.jobNamed('goes-on')).toMatchObject({ status: { state: 'Running' } });
  });

  it('5: a job that is deleted during wait', async () => {
    await stage.submit(job('short-lived'));
    const waiting = stage.begin(['wait', 'short-lived']);
    await waiting.said('2/2 ready');
    expect(await stage.run(['delete', 'short-lived', '--wait', 'false'])).toMatchObject({ code: 0 });
    expect(await waiting.ended).toMatchObject({
      code: EXIT_CODES.notFound.code,
      err: expect.stringContaining('short-lived has been deleted.') as string,
    });
  });

  it('1: a cluster that does not answer', async () => {
    const { code, err } = await muster(['list', '--kubeconfig', '/nowhere']).ended;
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('There is no kubeconfig "/nowhere"') as string,
    });
  });
});
