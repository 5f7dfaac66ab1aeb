/** Runs the command as a user does, outside of the workspace's folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const MUSTER = fileURLToPath(new URL('../bin/muster.js', import.meta.url));

let folder: string;
/** The kubeconfig of a cluster that does not exist. */
let kubeconfig: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-cli-'));
  kubeconfig = join(folder, 'kubeconfig');
  await writeFile(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'none', cluster: { server: 'http://127.0.0.1:1' } }],
      users: [{ name: 'no-access', user: { token: 'none' } }],
      contexts: [{ name: 'none', context: { cluster: 'none', user: 'no-access' } }],
      'current-context': 'none',
    }),
  );
});

afterAll(() => rm(folder, { recursive: true }));

async function muster(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return ran([MUSTER, ...args]);
}

async function ran(args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, args, { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), exitCode(child)]);
  return { code, out, err };
}

async function exitCode(child: ChildProcess): Promise<number> {
  const [code] = (await once(child, 'close')) as [number];
  return code;
}

describe('muster', () => {
  it('lists its commands', async () => {
    const { code, out } = await muster('--help');
    expect(code).toBe(0);
    const daily = ['submit', 'list', 'get', 'logs', 'wait', 'events', 'why', 'suspend', 'resume', 'scale', 'delete'];
    for (const command of [
      ...daily,
      'cluster',
      'operator',
      'crds',
      'plan',
      'replay',
      'convert',
      'preflight',
      'version',
    ])
      expect(out).toContain(`\n  ${command} `);
  });

  it('runs with the Node of the workspace if an older one starts it', async () => {
    const older = `data:text/javascript,import module from 'node:module';
      delete module.enableCompileCache;
      module.syncBuiltinESMExports();
      Object.defineProperty(process.versions, 'node', { value: '20.0.0' });`;
    expect(await ran(['--import', older, MUSTER, 'version'])).toMatchObject({ code: 0, err: '' });
  });

  it.each([
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['wait'], "missing required argument 'job'"],
    [['wait', 'mnist', '--for', 'christmas'], 'Allowed choices are succeeded, running,'],
    [['wait', 'mnist', '--timeout', 'soon'], 'Expected a duration such as 90s'],
    [['logs', 'mnist', '--tail', 'many'], 'Expected a number of lines'],
    [
      ['logs', 'mnist', '--all', '--replica', 'worker-0'],
      "option '--replica <name>' cannot be used with option '--all'",
    ],
    [['submit'], "required option '-f, --filename <file>' not specified"],
  ])('reports a usage error, and exits 2: %j', async (args, expected) => {
    expect(await muster(...args)).toMatchObject({ code: 2, err: expect.stringContaining(expected) as string });
  });

  it('prints its version', async () => {
    expect(await muster('version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^muster \d+\.\d+\.\d+\n$/) as string,
    });
  });

  it('ends without an error when the reader closes the pipe', async () => {
    const child = spawn(process.execPath, [MUSTER, 'crds'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [err, code] = await Promise.all([text(child.stderr), exitCode(child)]);
    expect({ err, code }).toEqual({ err: '', code: 0 });
  });
});

describe('muster crds', () => {
  it('prints complete definitions without YAML aliases', async () => {
    const { code, out } = await muster('crds', 'pytorch-elastic');
    expect(code).toBe(0);
    const documents = parseAllDocuments(out).map((document) => document.toJS() as { kind: string; metadata: object });
    expect(documents).toMatchObject([
      { kind: 'CustomResourceDefinition', metadata: { name: 'pytorchjobs.kubeflow.org' } },
    ]);
    expect(out).not.toMatch(/: [&*]a\d/);
  });

  it('lists the known frameworks for an unknown one', async () => {
    const { code, err } = await muster('crds', 'pytorch');
    expect(code).toBe(1);
    expect(err).toMatch(/unknown framework "pytorch".*pytorch-elastic/);
  });
});

describe('muster preflight', () => {
  it('reports that the cluster does not answer, without a hint to --help', async () => {
    const { code, out, err } = await muster('preflight', 'mpi', '--kubeconfig', kubeconfig);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^error: .*127[.]0[.]0[.]1:1/);
    expect(err).not.toContain('--help');
  });

  it('reports that there is no kubeconfig, and how to set one', async () => {
    const { code, err } = await muster('preflight', 'mpi', '--kubeconfig', join(folder, 'none'));
    expect(code).toBe(1);
    expect(err).not.toContain('--help');
  });
});

describe('muster operator', () => {
  it('passes all arguments after the framework to its operator', async () => {
    const help = await muster('operator', 'pytorch-elastic', '--help');
    expect(help.code).toBe(0);
    expect(help.out).toContain('--pytorch-init-container-image <image>');
    expect(await muster('operator', 'pytorch-elastic', '--port', 'http')).toEqual({
      code: 1,
      out: '',
      err: "error: option '--port <number>' argument 'http' is invalid. Expected a whole number from 0 to 65535.\n",
    });
  });

  it('does not start with an invalid init container template', async () => {
    const template = join(folder, 'init.yaml');
    await writeFile(template, '- name: wait\n  image: {{.Image}}\n');
    const { code, err } = await muster(
      ...['operator', 'pytorch-elastic', '--kubeconfig', kubeconfig],
      ...['--pytorch-init-container-template-file', template],
    );
    expect(code).toBe(1);
    expect(err).toContain(`${template}:2: {{.Image}} is unknown: use {{.MasterAddr}}`);
  });

  it('lists the known frameworks for an unknown one', async () => {
    const { code, err } = await muster('operator', 'pytorch');
    expect(code).toBe(1);
    expect(err).toMatch(/unknown framework "pytorch"; known are: .*mpi, .*pytorch-elastic, .*tensorflow/);
  });
});

describe('muster plan', () => {
  const misspelt = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: train }
spec:
  runPolicy: { cleanPodPolic: All }
  pytorchReplicaSpecs:
    Worker:
      template: { spec: { containers: [{ name: pytorch, image: registry.example/train:1 }] } }
`;
  const PROBLEM = 'document 1: spec.runPolicy.cleanPodPolic: unknown field; did you mean cleanPodPolicy?\n';

  async function plan(manifest: string, ...args: string[]) {
    const file = join(folder, 'job.yaml');
    await writeFile(file, manifest);
    return { file, ...(await muster('plan', '-f', file, ...args)) };
  }

  it('reports unknown fields as errors, and prints no object', async () => {
    const { file, code, out, err } = await plan(misspelt);
    // No hint to --help: the command line is valid.
    expect([code, out, err]).toEqual([1, '', `error: ${file} is invalid:\n${PROBLEM}`]);
  });

  it('reports unknown fields as warnings with --validate=warn', async () => {
    const { code, out, err } = await plan(misspelt, '--validate=warn');
    expect([code, err]).toEqual([0, `warning: ${PROBLEM}`]);
    expect(out).toContain('kind: Pod');
  });

  it('ignores unknown fields with --validate=ignore', async () => {
    expect(await plan(misspelt, '--validate=ignore')).toMatchObject({ code: 0, err: '' });
  });

  it('uses the last value of a duplicate key, as kubectl does, and warns with its line', async () => {
    const { err } = await plan(misspelt.replace('metadata:', 'kind: PyTorchJob\nmetadata:'), '--validate=ignore');
    expect(err).toMatch(/line 4.*"kind" occurs twice: the last value is used/);
  });
});

describe('muster convert', () => {
  const job = `
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: { name: train }
spec:
  pytorchReplicaSpecs:
    Worker:
      template: { spec: { containers: [{ name: pytorch, image: registry.example/train:1 }] } }
`;
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings }\nsize: 9007199254740993\n';

  async function convert(manifest: string) {
    const file = join(folder, 'mixed.yaml');
    await writeFile(file, manifest);
    return { file, ...(await muster('convert', '-f', file)) };
  }

  it('prints objects that are not jobs unchanged', async () => {
    const { code, out, err } = await convert(`${config}---${job}`);
    expect(code).toBe(0);
    const kinds = parseAllDocuments(out).map((document) => (document.toJS() as { kind: string }).kind);
    expect(kinds).toEqual(['ConfigMap', 'Job']);
    expect(out).toContain('size: 9007199254740993');
    expect(err).toContain('note: document 1: ConfigMap settings is not a training job and is printed unchanged\n');
  });

  it('refuses a file without any job, and kinds of jobs without an equivalent', async () => {
    expect(await convert(config)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('document 1: apiVersion, kind: ConfigMap of v1 cannot be converted') as string,
    });
    const ray = 'apiVersion: ray.io/v1\nkind: RayJob\nmetadata: { name: tune }\n';
    expect(await convert(`${ray}---${job}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining('document 1: apiVersion, kind: RayJob of ray.io/v1 cannot be converted') as string,
    });
  });
});
