import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments, stringify } from 'yaml';
import { parseManifestStream } from '@muster/kubernetes-yaml';
import { registerPlanCommand } from './plan.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'muster-plan-'))));
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

async function plannedKinds(annotations: object, spec: object, ...flags: string[]) {
  const containers = [{ name: 'pytorch', image: 'registry.example/train:1' }];
  const template = { spec: { containers, ...spec } };
  const file = join(folder, 'job.yaml');
  writeFileSync(
    file,
    stringify({
      apiVersion: 'kubeflow.org/v1',
      kind: 'PyTorchJob',
      metadata: { name: 'train', annotations },
      spec: { pytorchReplicaSpecs: { Master: { template } } },
    }),
  );
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const program = new Command();
  registerPlanCommand(program);
  await program.parseAsync(['plan', '-f', file, ...flags], { from: 'user' });
  const objects = parseAllDocuments(String(written.mock.calls[0]?.[0])).map(
    (one) => one.toJS() as { apiVersion: string; kind: string },
  );
  expect(objects.map(({ kind }) => kind)).toContain('Pod');
  return objects.filter(({ kind }) => kind === 'PodGroup').map(({ apiVersion }) => apiVersion);
}

const VOLCANO = 'scheduling.volcano.sh/v1beta1';
const by = (name: string) => ({ 'muster.dev/gang-scheduler': name });

describe('muster plan', () => {
  it.each([
    ['none', {}, {}, [], []],
    ['that of the annotation', by('volcano'), {}, [], [VOLCANO]],
    [
      'that of the annotation instead of that of the operator',
      by('kubernetes'),
      {},
      ['--gang-scheduler-name', 'volcano'],
      ['scheduling.k8s.io/v1beta1'],
    ],
    ['that of the operator', {}, {}, ['--gang-scheduler-name', 'volcano'], [VOLCANO]],
    ['none by its annotation', by('none'), {}, ['--gang-scheduler-name', 'volcano'], []],
    ['that of its scheduler', {}, { schedulerName: 'volcano' }, ['--gang-schedulers', 'other, volcano'], [VOLCANO]],
  ])('shows the pods and the pod group of the gang scheduler: %s', async (_what, annotations, spec, flags, groups) => {
    expect(await plannedKinds(annotations, spec, ...flags)).toEqual(groups);
  });
});

describe('the file of muster plan', () => {
  const JOB = 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n';
  const spec = (container = '') =>
    `spec:\n  pytorchReplicaSpecs:\n    Master:\n      template:\n        spec:\n          containers:\n            - {name: pytorch, image: a${container}}\n`;

  async function plan(text: string, ...flags: string[]) {
    const file = join(folder, 'jobs.yaml');
    writeFileSync(file, text);
    const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const output = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const program = new Command();
    registerPlanCommand(program);
    program.commands[0]?.exitOverride();
    const failed = await program.parseAsync(['plan', '-f', file, ...flags], { from: 'user' }).then(
      () => false,
      () => true,
    );
    const objects = out.mock.calls.flatMap(([text]) => parseManifestStream(Buffer.from(String(text))));
    return {
      failed,
      objects: objects.map(({ value }) => value as unknown as Pod),
      output: output.mock.calls.map(([text]) => String(text)).join(''),
    };
  }

  interface Pod {
    kind: string;
    metadata: { name: string; annotations?: object };
    spec: { containers: { env: { name: string; value: unknown }[]; securityContext?: object }[]; volumes?: object[] };
  }

  it('is read as kubectl reads it', async () => {
    const volumes = '          volumes: [{name: c, configMap: {name: c, defaultMode: 0400, optional: yes}}]\n';
    const { objects } = await plan(
      `${JOB}metadata: {name: a}\n${spec(', securityContext: {runAsUser: 0o17}')}${volumes}`,
    );
    const pod = objects.find(({ kind }) => kind === 'Pod');
    expect(pod?.spec.volumes).toEqual([{ name: 'c', configMap: { name: 'c', defaultMode: 256, optional: true } }]);
    expect(pod?.spec.containers[0]?.securityContext).toEqual({ runAsUser: 15 });
  });

  it('may have objects that are not jobs, which are left out with a note', async () => {
    const code = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: code}\n';
    const { objects, output } = await plan(`${code}---\n${JOB}metadata: {name: a}\n${spec()}`);
    expect(objects.map(({ kind }) => kind)).toContain('Pod');
    expect(output).toBe('note: document 1: ConfigMap code is not a job and is left out\n');
  });

  it.each([
    ['no job', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: code}\n'],
    [
      'a job of another apiVersion',
      `${JOB.replace('v1', 'v2')}metadata: {name: b}\n---\n${JOB}metadata: {name: a}\n${spec()}`,
    ],
    ['an object without a kind', `apiVersion: v1\n---\n${JOB}metadata: {name: a}\n${spec()}`],
  ])('is refused if it has %s', async (_what, text) => {
    const { failed, output } = await plan(text);
    expect(failed).toBe(true);
    expect(output).toContain('document 1: apiVersion, kind: no operator runs');
  });

  it('may have a list of jobs, whose items are named by their place, kind and name', async () => {
    const item = (name: string, kind: object) => ({
      ...kind,
      metadata: { name },
      spec: {
        pytorchReplicaSpecs: { Master: { template: { spec: { containers: [{ name: 'pytorch', image: 'a' }] } } } },
      },
    });
    const kinds = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJob' };
    const list = { apiVersion: 'v1', kind: 'List', items: [item('a', kinds), { ...item('b', kinds), spek: 1 }] };
    const refused = await plan(JSON.stringify(list));
    expect(refused.failed).toBe(true);
    expect(refused.output).toContain('document 1, items[1] (PyTorchJob b): spek');
    vi.restoreAllMocks();
    const typed = { apiVersion: 'kubeflow.org/v1', kind: 'PyTorchJobList', items: [item('a', {}), item('b', {})] };
    const { objects } = await plan(JSON.stringify(typed));
    expect(objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata.name)).toEqual([
      'a-master-0',
      'b-master-0',
    ]);
  });

  it('may have a job with generateName, whose name ends in xxxxx', async () => {
    const { objects, output } = await plan(`${JOB}metadata: {generateName: mnist-}\n${spec()}`);
    expect(objects.filter(({ kind }) => kind === 'Pod').map(({ metadata }) => metadata.name)).toEqual([
      'mnist-xxxxx-master-0',
    ]);
    expect(output).toBe('note: document 1: the API server generates the last five characters of the name (xxxxx)\n');
  });

  it('is refused if metadata.name is not a string in kubectl', async () => {
    const { failed, output } = await plan(`${JOB}metadata: {name: y}\n${spec()}`);
    expect(failed).toBe(true);
    expect(output).toContain('document 1: metadata.name');
  });

  it('may have a duplicate key, with a warning', async () => {
    const { objects, output } = await plan(`${JOB}metadata: {name: a, name: b}\n${spec()}`);
    expect(objects.map(({ metadata }) => metadata.name)).toContain('b-master-0');
    expect(output).toBe('warning: line 3: the key "name" occurs twice: the last value is used\n');
  });

  it('is refused if a document is not an object', async () => {
    const { failed, output } = await plan(`${JOB}metadata: {name: a}\n${spec()}---\njust text\n`);
    expect(failed).toBe(true);
    expect(output).toContain('document 2: expected an object');
  });
});
