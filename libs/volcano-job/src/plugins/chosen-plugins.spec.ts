import { describe, expect, it } from 'vitest';
import { PLAIN_PLUGIN, volcanoJob } from '../../test-support/volcano-jobs.ts';
import { volcanoTasks } from '../model/volcano-tasks.ts';
import { chosenPlugins, frameworkOf } from './chosen-plugins.ts';
import type { FrameworkPlugin } from './framework-plugin.ts';

type Plugins = Record<string, string[]>;

function chosen(plugins: Plugins, plugin: FrameworkPlugin = PLAIN_PLUGIN) {
  const job = volcanoJob({ plugins });
  return chosenPlugins(volcanoTasks(job), job.spec, plugin);
}

describe('the framework of a Job', () => {
  it.each<[plugins: Plugins | undefined, framework: string | undefined]>([
    [undefined, undefined],
    [{}, undefined],
    [{ svc: [], ssh: [], env: [] }, undefined],
    [{ hcclrank: [] }, undefined],
    [{ svc: [], ray: [] }, 'ray'],
    [{ mxnet: ['--port=9000'] }, 'mxnet'],
    [{ ray: [], pytorch: [] }, 'pytorch'],
  ])('the plugins %j belong to %s', (plugins, framework) => {
    expect(frameworkOf(plugins === undefined ? {} : { plugins })).toBe(framework);
  });
});

describe('the plugins of a Job', () => {
  it('include those that its framework needs, with defaults', () => {
    expect(chosen({ tensorflow: [] })).toMatchObject({
      svc: { 'publish-not-ready-addresses': true, 'disable-network-policy': false, 'inject-hosts-env': true },
      ssh: undefined,
      hasEnv: false,
      problems: [],
    });
  });

  it('include those that it names, with its arguments', () => {
    expect(
      chosen({ tensorflow: [], env: [], svc: ['--disable-network-policy'], ssh: ['--ssh-port=2022'] }),
    ).toMatchObject({
      svc: { 'disable-network-policy': true },
      ssh: { 'ssh-port': 2022, 'ssh-key-file-path': '/root/.ssh' },
      hasEnv: true,
      problems: [],
    });
  });

  it("use the framework's sshd port unless --ssh-port is given", () => {
    const withPort: FrameworkPlugin = {
      ...PLAIN_PLUGIN,
      needs: ['svc', 'ssh'],
      inJob: (job, values) => ({ ...PLAIN_PLUGIN.inJob(job, values), sshPort: 2022 }),
    };
    expect(chosen({ tensorflow: [] }, withPort).ssh).toMatchObject({ 'ssh-port': 2022 });
    expect(chosen({ tensorflow: [], ssh: ['--ssh-port=22'] }, withPort).ssh).toMatchObject({ 'ssh-port': 22 });
  });

  it.each<[plugins: Plugins, path: string, message: string]>([
    [
      { tensorflow: [], hcclrank: [] },
      'spec.plugins.hcclrank',
      'Unsupported value: "hcclrank": Muster has no such plugin: use tensorflow, svc, ssh, env',
    ],
    [{ tensorflow: [], svcs: [] }, 'spec.plugins.svcs', 'did you mean svc?'],
    [
      { tensorflow: [], mpi: [] },
      'spec.plugins.mpi',
      'Forbidden: a Job has one framework, and spec.plugins has tensorflow as well: keep one',
    ],
    [
      { tensorflow: ['--worker=helper'] },
      'spec.plugins.tensorflow[0]',
      'Invalid value: "--worker=helper": there is no task helper: the tasks are worker',
    ],
    [
      { tensorflow: [], env: ['--all'] },
      'spec.plugins.env[0]',
      'the plugin has no flag --all: the plugin has no flags',
    ],
    [
      { tensorflow: [], svc: ['--enable-networking'] },
      'spec.plugins.svc[0]',
      'Unsupported value: "--enable-networking"',
    ],
    [{ tensorflow: [], ssh: ['--ssh-port=70000'] }, 'spec.plugins.ssh[0]', 'a port from 1 to 65535'],
    [
      { tensorflow: [], ssh: ['--ssh-private-key=secret'] },
      'spec.plugins.ssh',
      'Required value: set --ssh-public-key as well',
    ],
  ])('reports a problem of the plugins %j', (plugins, path, expected) => {
    const [problem, ...others] = chosen(plugins).problems;
    expect(problem?.path).toBe(path);
    expect(problem?.message).toContain(expected);
    expect(others).toEqual([]);
  });
});
