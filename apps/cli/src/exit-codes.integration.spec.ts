/** Exit codes and messages of commands on a real API server. The table has every exit code. */
import type { JobManifest } from '@muster/common-job-controller';
import { RAY_CLUSTERS, TF_JOBS, type Resource } from '@muster/job-api';
import { beforeAll, describe, expect, it } from 'vitest';
import { muster } from '../test-support/command-line.ts';
import { job, jobFixture, TIMEOUT_MS, yaml } from '../test-support/job-fixture.ts';
import { EXIT_CODES } from './exit-codes.ts';

const TENSORFLOW: Resource<JobManifest> = TF_JOBS;
const RAY: Resource<JobManifest> = RAY_CLUSTERS;

const fixture = await jobFixture();

describe('how commands end', { timeout: TIMEOUT_MS }, () => {
  interface Case {
    readonly args: readonly string[];
    readonly input?: string;
    readonly message: string | RegExp;
  }

  const CASES: Readonly<Record<keyof typeof EXIT_CODES, readonly Case[]>> = {
    done: [
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('ends-well', { end: 'succeed' })),
        message: /Succeeded, .*\n.*ends-well has succeeded[.]$/m,
      },
      { args: ['wait', 'ends-badly', '--for', 'finished'], message: 'Failed' },
      { args: ['wait', 'ends-badly', '--for', 'failed'], message: 'Failed' },
      { args: ['get', 'ptjob/ends-well'], message: 'ends-well, Succeeded' },
      { args: ['why', 'ends-well'], message: 'has succeeded' },
      { args: ['suspend', '--help'], message: 'Examples:' },
      {
        args: ['submit', '-f', '-', '--validate', 'ignore'],
        input: yaml(job('ignored-field', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        message:
          /^pytorchjob[.]kubeflow[.]org\/ignored-field created\nFollow it with: muster wait pytorchjob\/ignored-field -n \S+ --kubeconfig \S+\n$/,
      },
      {
        args: ['submit', '-f', '-', '--validate', 'warn', '--dry-run'],
        input: yaml(job('warned-field', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        message:
          /warning: document 1: spec[.]runPolicy[.]cleanPodPolic: unknown field; did you mean cleanPodPolicy[?]\n$/,
      },
      {
        args: ['submit', '-f', '-', '--validate', 'warn', '--dry-run'],
        input: yaml({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, daat: {} }),
        message: /warning: unknown field "daat"\n$/,
      },
    ],
    error: [
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('refused', { workers: 0 })),
        message:
          /PyTorchJob refused is refused:\n {2}spec[.]pytorchReplicaSpecs\[Worker][.]replicas: .*must be at least 1/,
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('misspelt', { spec: { runPolicy: { cleanPodPolic: 'All' } } })),
        message:
          '- is not submitted:\n  document 1: spec.runPolicy.cleanPodPolic: unknown field; did you mean cleanPodPolicy?',
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml(job('ends-well')),
        message: 'PyTorchJob ends-well already exists: delete it, or',
      },
      { args: ['submit', '-f', '/nowhere.yaml'], message: 'no such file' },
      {
        args: ['submit', '-f', '-'],
        input: yaml({ apiVersion: 'example.org/v1', kind: 'Cake', metadata: { name: 'c' } }),
        message: 'This cluster serves no Cake of example.org/v1; check apiVersion and kind.',
      },
      {
        args: ['submit', '-f', '-'],
        input: yaml({ apiVersion: 'kubeflow.org/v1', kind: 'PytorchJob', metadata: { name: 'c' } }),
        message: 'This cluster serves no PytorchJob of kubeflow.org/v1; did you mean PyTorchJob?',
      },
      { args: ['scale', 'ends-well', '3'], message: 'cannot be scaled: it has ended.' },
      { args: ['suspend', 'ends-well'], message: 'has ended: there is nothing to suspend.' },
    ],
    usage: [
      { args: ['scale', 'ends-well', 'more'], message: '"more" is not a size' },
      { args: ['get', 'cake/ends-well'], message: '"cake" is not a kind of job: use one of tfjob, pytorchjob, mpijob' },
      { args: ['list', '--kind', 'cake'], message: '"cake" is not a kind of job' },
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('a'), job('b')),
        message: '--wait needs exactly one job, and no --dry-run; jobs in -: 2',
      },
      {
        args: ['wait', 'raycluster/two', '--for', 'succeeded'],
        message: 'never ends: use --for running or --for suspended',
      },
    ],
    jobFailed: [
      {
        args: ['submit', '-f', '-', '--wait'],
        input: yaml(job('ends-badly', { end: 'fail' })),
        message: /ends-badly has failed: .*exit code 137.*\nSee why: muster why pytorchjob\/ends-badly -n /,
      },
      { args: ['wait', 'ends-badly'], message: 'has failed' },
      { args: ['wait', 'ends-well', '--for', 'failed'], message: 'has succeeded' },
      { args: ['wait', 'ends-well', '--for', 'suspended'], message: 'has succeeded' },
    ],
    timeout: [
      {
        args: ['wait', 'too-large', '--timeout', '1s'],
        message: /has not succeeded after 1s[.] It continues[.]\nSee what it waits for: muster why/,
      },
    ],
    notFound: [
      {
        args: ['get', 'nothing'],
        message: /There is no job nothing in namespace .*[.] Searched kinds: TFJob, PyTorchJob, MPIJob/,
      },
      { args: ['logs', 'too-large', '--replica', 'worker-7'], message: 'has no worker-7: its roles are Worker' },
      { args: ['delete', 'tfjob/too-large'], message: 'There is no job tfjob/too-large' },
    ],
    ambiguous: [
      {
        args: ['get', 'two'],
        message: /Several jobs have the name two in namespace .*[.] Use one of:\n {2}tfjob\/two\n {2}raycluster\/two/,
      },
    ],
    forbidden: [
      { args: ['get', 'ends-well', '--as', 'no-access'], message: 'it is unknown whether job ends-well exists' },
      { args: ['list', '--as', 'no-access'], message: 'You are not allowed to list TFJob, PyTorchJob' },
      {
        args: ['submit', '-f', '-', '--as', 'no-access', '--as-group', 'no-group'],
        input: yaml(job('not-allowed')),
        message:
          'error: PyTorchJob not-allowed: pytorchjobs.kubeflow.org is forbidden: User "no-access" cannot create resource',
      },
    ],
    interrupted: [],
  };

  beforeAll(async () => {
    const template = { spec: { containers: [{ name: 'tensorflow', image: 'registry.example/train:1' }] } };
    const ray = { spec: { containers: [{ name: 'ray', image: 'registry.example/ray:2' }] } };
    const two = { name: 'two', namespace: fixture.namespace };
    await fixture.client.create(TENSORFLOW, { metadata: two, spec: { tfReplicaSpecs: { Worker: { template } } } });
    const cluster = { metadata: two, spec: { headGroupSpec: { template: ray }, workerGroupSpecs: [] } };
    await fixture.client.create(RAY, cluster);
    await fixture.submit(job('too-large', { cpu: '1000' }));
  }, TIMEOUT_MS);

  type Ending = keyof typeof EXIT_CODES;
  const all = (Object.keys(CASES) as Ending[]).flatMap((ending) =>
    CASES[ending].map((each) => ({ ...each, code: EXIT_CODES[ending].code, title: each.args.join(' ') })),
  );
  const isFirst = ({ args }: Case) => args.includes('--wait');
  const play = async ({ args, input, code, message }: Case & { code: number }) => {
    const { out, err, ...ended } = await fixture.run(args, input);
    expect({ ...ended, printed: out + err }).toEqual({ code, printed: expect.stringMatching(message) as string });
  };

  // The other cases read the jobs that these create.
  it.each(all.filter(isFirst))('$code: $title', play);
  it.concurrent.each(all.filter((each) => !isFirst(each)))('$code: $title', play);

  it('130: Ctrl-C does not change the job, and shows how to follow it', async () => {
    const waiting = fixture.begin(['wait', 'too-large']);
    await waiting.printed('Unschedulable');
    waiting.child.kill('SIGINT');
    const { code, err } = await waiting.ended;
    expect(code).toBe(EXIT_CODES.interrupted.code);
    expect(err).toContain(
      `too-large continues. Follow it with: muster wait pytorchjob/too-large -n ${fixture.namespace}`,
    );
    expect((await fixture.jobNamed('too-large')).metadata?.deletionTimestamp).toBeUndefined();
  });

  it('130: Ctrl-C while submit follows a job', async () => {
    const sent = fixture.begin(['submit', '-f', '-', '--wait'], yaml(job('goes-on')));
    await sent.printed('Running, 2/2 ready');
    sent.child.kill('SIGINT');
    const { code, err } = await sent.ended;
    expect({ code, err }).toEqual({ code: 130, err: expect.stringContaining('goes-on continues.') as string });
    expect(await fixture.jobNamed('goes-on')).toMatchObject({ status: { state: 'Running' } });
  });

  it('5: a job that is deleted during wait', async () => {
    await fixture.submit(job('short-lived'));
    const waiting = fixture.begin(['wait', 'short-lived']);
    await waiting.printed('2/2 ready');
    expect(await fixture.run(['delete', 'short-lived', '--wait', 'false'])).toMatchObject({ code: 0 });
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
