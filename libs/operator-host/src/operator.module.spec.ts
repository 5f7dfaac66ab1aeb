/** Tests the container without a process and without a cluster: no request is sent. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withNetworkPolicy, type FrameworkAdapter, type JobOperator } from '@muster/common-job-controller';
import { VOLCANO_JOBS } from '@muster/job-api';
import type { Type } from '@nestjs/common';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { idleAdapter } from '../fixtures/idle-adapter.ts';
import { loadConfig } from './config.ts';
import { ConfigError } from './flags.ts';
import { JobControllerModule } from './job-controller.module.ts';
import { OperatorLifecycle } from './operator-lifecycle.ts';
import { OperatorModule } from './operator.module.ts';
import type { OperatorConfig } from './config.ts';
import { ProbeHttpAdapter } from './probe-http-adapter.ts';
import { FRAMEWORK_ADAPTERS, JOB_OPERATOR, OPERATOR_CONFIG } from './tokens.ts';

/** The first container loads what reads kubeconfig files, which is slow on a busy machine. */

let folder: string;
let kubeconfig: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-container-'));
  kubeconfig = join(folder, 'kubeconfig');
  const cluster = { name: 'c', cluster: { server: 'http://127.0.0.1:1' } };
  const context = { name: 'c', context: { cluster: 'c', user: 'u' } };
  const content = { clusters: [cluster], contexts: [context], users: [{ name: 'u', user: { token: 't' } }] };
  await writeFile(kubeconfig, JSON.stringify({ ...content, 'current-context': 'c' }));
});

afterAll(() => rm(folder, { recursive: true }));

async function container(app: Type, ...flags: string[]) {
  const config = loadConfig({}, ['--kubeconfig', kubeconfig, '--port', '0', ...flags]);
  const quiet = () => undefined;
  const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
  const root = OperatorModule.forApp(app, { framework: 'idle', config, logger });
  const nest = await NestFactory.create(root, new ProbeHttpAdapter(), {
    logger: false,
    abortOnError: false,
    bodyParser: false,
  });
  onTestFinished(() => nest.close());
  return nest;
}

describe('JobControllerModule', () => {
  it("creates the operator of the framework's adapter, and does not start it", async () => {
    @Module({ imports: [JobControllerModule.forFramework({ adapters: [idleAdapter('example.com')] })] })
    class App {}
    const operator = (await container(App)).get<JobOperator>(JOB_OPERATOR);
    expect(operator.readiness()).toMatchObject({ permissions: ['permissions are being checked'] });
  });

  it('creates adapters that depend on the settings', async () => {
    const framework = {
      inject: [OPERATOR_CONFIG],
      useFactory: ({ clusterDomain }: OperatorConfig) => Promise.resolve([idleAdapter(clusterDomain)]),
    };
    @Module({ imports: [JobControllerModule.forFrameworkAsync(framework)] })
    class App {}
    const nest = await container(App, '--cluster-domain', 'cluster.test');
    expect(nest.get(FRAMEWORK_ADAPTERS)).toMatchObject([{ resource: { group: 'cluster.test' } }]);
  });

  it('passes on an error that the framework detects in the settings', async () => {
    const mistake = new ConfigError('no such file');
    @Module({ imports: [JobControllerModule.forFrameworkAsync({ useFactory: () => Promise.reject(mistake) })] })
    class App {}
    await expect(container(App)).rejects.toBe(mistake);
  });

  it('accepts several kinds of a framework', async () => {
    const adapters = ['one', 'two'].map((group) => idleAdapter(`${group}.example.com`));
    @Module({ imports: [JobControllerModule.forFramework({ adapters })] })
    class App {}
    expect((await container(App)).get(FRAMEWORK_ADAPTERS)).toHaveLength(2);
  });

  it('refuses network policies for kinds that configure themselves who reaches their pods', async () => {
    const adapter = withNetworkPolicy(idleAdapter('example.com'), 'DenyAll');
    @Module({ imports: [JobControllerModule.forFramework({ adapters: [adapter] })] })
    class App {}
    expect(await container(App)).toBeDefined();
    await expect(container(App, '--job-network-policy', 'DenyIngress')).rejects.toThrow(
      new ConfigError('--job-network-policy: remove the flag: IdleJobs have spec.networkPolicy instead.'),
    );
  });

  it('refuses Volcano Jobs where the framework has no plugin for them', async () => {
    @Module({ imports: [JobControllerModule.forFramework({ adapters: [idleAdapter('example.com')] })] })
    class App {}
    await expect(container(App, '--volcano-jobs')).rejects.toThrow(
      new ConfigError('--volcano-jobs: remove the flag: the operator of IdleJobs does not support Volcano Jobs.'),
    );
    const volcanoJobs = { ...idleAdapter(VOLCANO_JOBS.group), resource: VOLCANO_JOBS } as FrameworkAdapter;
    @Module({ imports: [JobControllerModule.forFramework({ adapters: [idleAdapter('example.com'), volcanoJobs] })] })
    class AppWithPlugin {}
    expect(await container(AppWithPlugin, '--volcano-jobs')).toBeDefined();
  });

  it('refuses a framework without kinds', async () => {
    @Module({ imports: [JobControllerModule.forFramework({ adapters: [] })] })
    class App {}
    await expect(container(App)).rejects.toThrow('the operator has no adapter: provide one for at least one kind');
  });
});

describe('OperatorModule', () => {
  it('starts the operator after HTTP listens, and stops it before HTTP closes', async () => {
    const moments: string[] = [];
    const note = (moment: string) => {
      moments.push(`${moment}, ${server.listening ? 'listening' : 'closed'}`);
      return Promise.resolve();
    };
    const operator: JobOperator = {
      start: () => note('start'),
      stop: () => note('stop'),
      readiness: () => ({ caches: [], lease: [], permissions: [] }),
      problems: () => [],
      livenessProblems: () => [],
    };
    @Global()
    @Module({ providers: [{ provide: JOB_OPERATOR, useValue: operator }], exports: [JOB_OPERATOR] })
    class App {}
    const nest = await container(App);
    const server = nest.getHttpServer() as Server;
    await note('made');
    await nest.init();
    await nest.close();
    await note('gone');
    expect(moments).toEqual(['made, closed', 'start, listening', 'stop, listening', 'gone, closed']);
  });
});

describe('OperatorLifecycle', () => {
  it('does not start an operator that was stopped before its start', async () => {
    const operator = { start: vi.fn<() => Promise<void>>(), stop: vi.fn<() => Promise<void>>() };
    const lifecycle = new OperatorLifecycle(operator as Partial<JobOperator> as JobOperator);
    await lifecycle.beforeApplicationShutdown();
    await lifecycle.onApplicationBootstrap();
    expect(operator.start).not.toHaveBeenCalled();
    expect(operator.stop).toHaveBeenCalledOnce();
  });
});
