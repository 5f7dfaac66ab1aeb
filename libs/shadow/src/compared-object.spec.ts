import type { KubeObject, Pod } from '@muster/job-api';
import { describe, expect, it } from 'vitest';
import { comparedObject } from './compared-object.ts';

interface Parts {
  readonly labels?: Record<string, string>;
  readonly container?: object;
  readonly spec?: object;
}

function pod({ labels = {}, container = {}, spec = {} }: Parts): KubeObject {
  const containers = [{ name: 'main', image: 'train:1', ...container }];
  return { kind: 'Pod', metadata: { name: 'job-worker-0', labels }, spec: { containers, ...spec } } as Pod;
}

const compared = (theirs: Parts, ours: Parts) =>
  comparedObject('Pod', pod(theirs), pod(ours), (name) => name === 'TOKEN').differences;

describe('comparedObject', () => {
  it('finds no difference in what API server, admission plugins and nodes add', () => {
    const account = { name: 'kube-api-access-x7k2p', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
    const container = {
      ...{ terminationMessagePath: '/dev/termination-log', imagePullPolicy: 'IfNotPresent', volumeMounts: [account] },
      resources: { requests: { cpu: '1', memory: '1Gi' } },
    };
    const spec = {
      ...{ nodeName: 'node-1', schedulerName: 'default-scheduler', serviceAccountName: 'default' },
      volumes: [{ name: account.name, projected: {} }],
      tolerations: [{ key: 'gpu' }, { key: 'node.kubernetes.io/not-ready' }],
    };
    const ours = {
      container: { resources: { requests: { cpu: '1000m', memory: '1024Mi' } } },
      spec: { tolerations: [{ key: 'gpu' }] },
    };
    expect(compared({ labels: { injected: 'yes' }, container, spec }, ours)).toEqual([]);
  });

  it('names variables, labels and fields that only one of them sets, or sets otherwise', () => {
    const theirs = {
      labels: { 'training.kubeflow.org/job-role': 'master' },
      container: { env: env('RANK', '0', 'X', '1') },
    };
    const ours = { container: { env: env('RANK', '1') }, spec: { hostname: 'job-worker-0' } };
    expect(compared(theirs, ours)).toEqual([
      { field: 'Pod: metadata.labels[training.kubeflow.org/job-role]', theirs: 'master', ours: '' },
      { field: 'Pod: spec.containers[main].env[RANK].value', theirs: '0', ours: '1' },
      { field: 'Pod: spec.containers[main].env[X]', theirs: '(a value)', ours: '' },
      { field: 'Pod: spec.hostname', theirs: '', ours: 'job-worker-0' },
    ]);
  });

  it('shows neither values of variables of the manifest nor arguments', () => {
    const theirs = { container: { env: env('TOKEN', 'secret'), args: ['--password=secret'] } };
    const found = compared(theirs, { container: { env: env('TOKEN', 'other'), args: ['--password=other'] } });
    expect(found.map(({ field }) => field)).toEqual([
      'Pod: spec.containers[main].env[TOKEN].value',
      'Pod: spec.containers[main].args: statement 1',
    ]);
    expect(JSON.stringify(found)).not.toMatch(/secret|other/);
  });

  it('compares commands by their statements, whatever the order of options', () => {
    const args = (text: string) => ({ container: { args: [text] } });
    const theirs = args('ulimit -n 65536; ray start --head  --num-cpus=2 --block');
    expect(compared(theirs, args('ulimit -n 65536; ray start --block --head --num-cpus=2'))).toEqual([]);
    expect(
      compared(theirs, args('ulimit -n 1; ray start --head --num-cpus=2 --block')).map(({ field }) => field),
    ).toEqual(['Pod: spec.containers[main].args: statement 1']);
  });

  it('finds an added init container', () => {
    const theirs = { spec: { initContainers: [{ name: 'init-pytorch', image: 'alpine' }] } };
    expect(compared(theirs, {})).toEqual([
      { field: 'Pod: spec.initContainers[init-pytorch]', theirs: '(a value)', ours: '' },
    ]);
  });
});

function env(...pairs: readonly string[]) {
  return pairs.flatMap((name, at) => (at % 2 === 0 ? [{ name, value: pairs[at + 1] }] : []));
}
