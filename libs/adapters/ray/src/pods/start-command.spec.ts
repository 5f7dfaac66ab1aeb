/** Cases derived from KubeRay's command of a Ray container; spaces matter. */
import type { Container } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { clusterOf, headOf, templateSpec, workersOf } from '../../test-support/cluster-models.ts';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { rayStartCommand, startedContainer } from './start-command.ts';

function headCommand(cluster: ClusterModel): string {
  return rayStartCommand(cluster, headOf(cluster), templateSpec(headOf(cluster)).containers[0]!);
}

function workerCommand(cluster: ClusterModel): string {
  return rayStartCommand(cluster, workersOf(cluster), templateSpec(workersOf(cluster)).containers[0]!);
}

const ADDRESS = '--address=demo-head-svc.team.svc.cluster.local:6379';

describe('ray start', () => {
  it('of a head', () => {
    expect(headCommand(clusterOf())).toBe(
      'ray start --head  --block  --dashboard-agent-listen-port=52365  --dashboard-host=0.0.0.0  --metrics-export-port=8080 ',
    );
  });

  it('of a worker', () => {
    expect(workerCommand(clusterOf())).toBe(
      `ray start  ${ADDRESS}  --block  --dashboard-agent-listen-port=52365  --metrics-export-port=8080 `,
    );
  });

  it('prefers the user’s parameters to computed ones, but always blocks', () => {
    const rayStartParams = {
      'dashboard-host': '127.0.0.1',
      'metrics-export-port': '9090',
      'dashboard-agent-listen-port': '50000',
      block: 'false',
      port: '6380',
    };
    expect(headCommand(clusterOf({ head: { rayStartParams } }))).toBe(
      'ray start --head  --block  --dashboard-agent-listen-port=50000  --dashboard-host=127.0.0.1  ' +
        '--metrics-export-port=9090  --port=6380 ',
    );
  });

  it('finds the head by its Service’s name, port and domain', () => {
    const cluster = clusterOf({
      clusterDomain: 'k8s.corp',
      head: { rayStartParams: { port: '6380' }, headService: { metadata: { name: 'front' } } },
    });
    expect(workerCommand(cluster)).toContain(' --address=front.team.svc.k8s.corp:6380 ');
  });

  it('keeps an address that the user has given', () => {
    const cluster = clusterOf({ worker: { rayStartParams: { address: 'elsewhere:1' } } });
    expect(workerCommand(cluster)).toContain(' --address=elsewhere:1 ');
  });

  it('has no monitor if the autoscaler’s container replaces it', () => {
    const cluster = clusterOf({ spec: { enableInTreeAutoscaling: true } });
    expect(headCommand(cluster)).toContain(' --metrics-export-port=8080  --no-monitor ');
    expect(workerCommand(cluster)).not.toContain('no-monitor');
  });

  it.each([
    ['a switch that is on', { 'no-redirect-worker-output': 'True' }, ' --no-redirect-worker-output '],
    ['a switch that is off', { 'no-monitor': 'false' }, ''],
    ['log-color', { 'log-color': 'false' }, ' --log-color=false '],
    ['include-dashboard', { 'include-dashboard': 'true' }, ' --include-dashboard=true '],
    ['include-log-monitor', { 'include-log-monitor': 'false' }, ' --include-log-monitor=false '],
  ])('renders %s', (_case, rayStartParams, rendered) => {
    const name = Object.keys(rayStartParams)[0]!;
    const parameter =
      headCommand(clusterOf({ head: { rayStartParams } })).match(new RegExp(` --${name}\\S* `))?.[0] ?? '';
    expect(parameter).toBe(rendered);
  });
});

/** The size parameters only. */
function sizeOf(command: string): string[] {
  return command
    .split(/ {2}| (?=$)/)
    .filter((word) => /^--(num-cpus|num-gpus|memory|resources|labels)=/.test(word.trim()));
}

describe('the size of a node, from its Ray container', () => {
  it.each<[string, Container['resources'], string[]]>([
    ['nothing', {}, []],
    ['processors, rounded up', { limits: { cpu: '1500m' } }, ['--num-cpus=2']],
    ['requested processors if there is no limit', { requests: { cpu: '500m', memory: '1Gi' } }, ['--num-cpus=1']],
    ['requested processors if the limit is 0', { limits: { cpu: '0' }, requests: { cpu: '2' } }, ['--num-cpus=2']],
    ['memory, by its limit alone', { limits: { memory: '1Gi' }, requests: { memory: '2Gi' } }, ['--memory=1073741824']],
    ['GPUs', { limits: { 'nvidia.com/gpu': '2' } }, ['--num-gpus=2']],
    ['slices of a GPU', { limits: { 'nvidia.com/mig-2g.32gb': '3' } }, ['--num-gpus=3']],
    ['the first of two kinds of GPU', { limits: { 'nvidia.com/gpu': '2', 'amd.com/gpu': '1' } }, ['--num-gpus=1']],
    ['no GPUs with a limit of 0', { limits: { 'nvidia.com/gpu': '0' } }, []],
    ['nothing of amounts without a value', { limits: null, requests: { cpu: {} } } as unknown as object, []],
    ['TPUs', { limits: { 'google.com/tpu': '4' } }, [`--resources='{"TPU":4}'`]],
    [
      'the first of two accelerators',
      { limits: { 'google.com/tpu': '4', 'aws.amazon.com/neuroncore': '2' } },
      [`--resources='{"neuron_cores":2}'`],
    ],
  ])('has %s', (_case, resources, expected) => {
    expect(sizeOf(workerCommand(clusterOf({ workerContainer: { resources: resources! } })))).toEqual(expected);
  });

  it('is not set if the user has set it', () => {
    const cluster = clusterOf({
      worker: { rayStartParams: { 'num-cpus': '0', memory: '5', 'num-gpus': '7' } },
      workerContainer: { resources: { limits: { cpu: '4', memory: '1Gi', 'nvidia.com/gpu': '1' } } },
    });
    expect(sizeOf(workerCommand(cluster))).toEqual(['--memory=5', '--num-cpus=0', '--num-gpus=7']);
  });

  it('leaves Ray less memory if the cluster requests it', () => {
    const cluster = clusterOf({
      annotations: { 'muster.dev/ray-memory-fraction': '0.75' },
      headContainer: { resources: { limits: { memory: '8Gi' } } },
    });
    expect(sizeOf(headCommand(cluster))).toEqual(['--memory=6442450944']);
  });

  it.each<[string, string, string]>([
    ['joins accelerators with the user’s own', `'{"b": 1, "TPU-v4-head": 0.5}'`, `'{"TPU":4,"TPU-v4-head":0.5,"b":1}'`],
    ['does not add an accelerator that the user has set', `'{"TPU": 1}'`, `'{"TPU": 1}'`],
    ['keeps resources that only a shell can parse', `"{\\"a\\": 1}"`, `"{\\"a\\": 1}"`],
    ['does not add an accelerator beside another one of the user', `'{"neuron_cores": 1}'`, `'{"neuron_cores": 1}'`],
    ['keeps resources that are not JSON', '"$MINE"', '"$MINE"'],
    ['keeps JSON without amounts', `'{"a": "b"}'`, `'{"a": "b"}'`],
  ])('%s', (_case, users, expected) => {
    const cluster = clusterOf({
      worker: { rayStartParams: { resources: users } },
      workerContainer: { resources: { limits: { 'google.com/tpu': '4' } } },
    });
    expect(workerCommand(cluster)).toContain(` --resources=${expected} `);
  });
});

describe('the fields of a group', () => {
  it('always set its size, and precede its container', () => {
    const cluster = clusterOf({
      worker: { resources: { CPU: '1500m', memory: '1k', GPU: '2', 'nvme/disk': '1500m', a: '1' } },
      workerContainer: { resources: { limits: { cpu: '8', memory: '1Gi' } } },
    });
    expect(sizeOf(workerCommand(cluster))).toEqual([
      '--memory=1000',
      '--num-cpus=2',
      '--num-gpus=2',
      `--resources='{"a":1,"nvme/disk":1.5}'`,
    ]);
  });

  it('keep work off the head with 0 CPUs', () => {
    const cluster = clusterOf({
      head: { resources: { CPU: '0' } },
      headContainer: { resources: { limits: { cpu: '4' } } },
    });
    expect(sizeOf(headCommand(cluster))).toEqual(['--num-cpus=0']);
  });

  it('set its labels, sorted', () => {
    const cluster = clusterOf({ worker: { labels: { zone: 'b', 'ray.io/market-type': 'spot' } } });
    expect(workerCommand(cluster)).toContain(' --labels=ray.io/market-type=spot,zone=b ');
  });
});

describe('the credentials of Redis', () => {
  it('are read by the shell', () => {
    const gcsFaultToleranceOptions = {
      redisAddress: 'redis:6379',
      redisUsername: { value: 'ray' },
      redisPassword: { valueFrom: { secretKeyRef: { name: 'redis', key: 'password' } } },
    };
    const cluster = clusterOf({ spec: { gcsFaultToleranceOptions } });
    expect(headCommand(cluster)).toContain(' --redis-password="$REDIS_PASSWORD"  --redis-username="$REDIS_USERNAME" ');
    expect(workerCommand(cluster)).not.toContain('redis');
  });
});

describe('the container', () => {
  const START =
    'ulimit -n ${RAY_START_ULIMIT_OPEN_FILES:-65536}; ' +
    `ray start  ${ADDRESS}  --block  --dashboard-agent-listen-port=52365  --metrics-export-port=8080 `;
  const SHELL = ['/bin/bash', '-c', '--'];

  it.each<[string, Partial<Container>, Partial<Container>]>([
    ['starts Ray', {}, { command: SHELL, args: [START] }],
    ['runs a command before', { command: ['echo', 'hi'] }, { command: SHELL, args: [` echo  hi  && ${START}`] }],
    [
      'runs a command with its arguments before',
      { command: ['./a.sh'], args: ['-x', 'y'] },
      { command: SHELL, args: [` ./a.sh  -x  y  && ${START}`] },
    ],
    ['runs arguments alone before', { args: ['sleep 1'] }, { command: SHELL, args: [` sleep 1  && ${START}`] }],
    ['keeps a user’s own ray start', { args: ['ray start --address=x'] }, { args: ['ray start --address=x'] }],
    ['keeps one in several arguments', { command: ['ray'], args: ['start'] }, { command: ['ray'], args: ['start'] }],
  ])('%s', (_case, given, expected) => {
    const cluster = clusterOf({ workerContainer: given });
    const container = templateSpec(workersOf(cluster)).containers[0]!;
    expect(startedContainer(cluster, workersOf(cluster), container)).toEqual(expected);
  });

  it.each([
    ['the cluster', { annotations: { 'ray.io/overwrite-container-cmd': 'True' } }],
    [
      'the template',
      {
        worker: {
          template: {
            metadata: { annotations: { 'ray.io/overwrite-container-cmd': 'true' } },
            spec: { containers: [{ name: 'ray', image: 'ray:1', command: ['own'] }] },
          },
        },
      },
    ],
  ])('keeps the user’s command if %s requests it', (_case, given) => {
    const cluster = clusterOf(given);
    const container: Container = { name: 'ray', command: ['own'] };
    expect(startedContainer(cluster, workersOf(cluster), container)).toEqual({ command: ['own'] });
  });
});
