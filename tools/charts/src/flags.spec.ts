/** Every flag of an operator has a value, or a reason to have none. The operator parses the rendered arguments. */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { MPI_FLAGS } from '@muster/mpi';
import { loadConfig, OPERATOR_FLAGS, type FlagSet } from '@muster/operator-host';
import { PYTORCH_FLAGS } from '@muster/pytorch-elastic';
import type { Deployment } from 'kubernetes-types/apps/v1.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { helm, HELM_TIMEOUT_MS, rendered, type RenderOptions, type Values } from '../test-support/helm.ts';
import { ofKind } from '../test-support/of-kind.ts';
import { BY_TEMPLATE, LEFT_OUT, otherFlagsFile } from './files/other-flags-file.ts';
import { chartValues } from './values/chart-values.ts';
import { leafValues } from './values/leaf-values.ts';

const NAMES = Object.keys(FRAMEWORKS) as FrameworkName[];

const OWN_FLAGS: Partial<Record<FrameworkName, FlagSet>> = { mpi: MPI_FLAGS, 'pytorch-elastic': PYTORCH_FLAGS };

async function argsOf(framework: string, values: Values, options: RenderOptions = {}): Promise<string[]> {
  const deployment = ofKind<Deployment & { kind: string }>(await rendered(framework, values, options), 'Deployment');
  return deployment.spec?.template.spec?.containers[0]?.args ?? [];
}

beforeAll(() => helm(['version']), HELM_TIMEOUT_MS);

describe.each(NAMES)('the flags of %s', (framework) => {
  const flags: FlagSet = { ...OPERATOR_FLAGS, ...OWN_FLAGS[framework] };
  const values = leafValues(chartValues(framework));

  it('have a value, or a reason to have none', () => {
    const set = [...values.flatMap(({ schema: { flag } }) => flag ?? []), ...Object.keys(BY_TEMPLATE)];
    const all = Object.values(flags).map(({ name }) => name);
    expect(all.filter((name) => !set.includes(name) && !(name in LEFT_OUT))).toEqual([]);
    expect(set.filter((name) => !all.includes(name))).toEqual([]);
    const accepted = [...values.flatMap(({ schema: { flag } }) => flag ?? []), ...(parse(otherFlagsFile(framework)) as string[])];
    expect([...new Set(accepted)].sort()).toEqual(all.toSorted());
  });

  it('have the defaults of the operator', async () => {
    const own = OWN_FLAGS[framework] ?? {};
    expect(loadConfig(own, await argsOf(framework, {}))).toEqual(loadConfig(own, []));
  });
});

describe('the arguments of an operator', () => {
  it('are set from values', async () => {
    const args = await argsOf('mpi', {
      operator: {
        concurrency: 1000,
        serviceMode: 'PerReplica',
        clusterDomain: 'corp.local',
        forceDeletePodsOnLostNodes: true,
        kubeApiQps: 100_000,
        kubeApiBurst: 2000,
        logLevel: 'debug',
        logFormat: 'text',
        shutdownTimeoutSeconds: 90,
      },
      leaderElection: { enabled: false, namespace: 'leases', id: 'mine', leaseDuration: '1m0s', renewDeadline: '40s', retryPeriod: '5s' },
      metrics: { port: 9090, perJob: false },
      kubectlDelivery: { image: 'registry.example/delivery:1' },
      v1alpha1: { gpusPerNode: 8, processingUnitsPerNode: 4, processingResourceType: 'cpu', launcherComputes: false },
    });
    expect(loadConfig(MPI_FLAGS, args)).toMatchObject({
      concurrency: 1000,
      serviceMode: 'PerReplica',
      clusterDomain: 'corp.local',
      forceDeletePodsOnLostNodes: true,
      kubeApiQps: 100_000,
      kubeApiBurst: 2000,
      logLevel: 'debug',
      logFormat: 'text',
      shutdownTimeoutMs: 90_000,
      leaderElect: false,
      leaderElectionNamespace: 'leases',
      leaderElectionId: 'mine',
      leaseDurationMs: 60_000,
      renewDeadlineMs: 40_000,
      retryPeriodMs: 5000,
      port: 9090,
      perJobMetrics: false,
      deliveryImage: 'registry.example/delivery:1',
      gpusPerNode: 8,
      processingUnitsPerNode: 4,
      processingResourceType: 'cpu',
      launcherComputes: false,
    });
  });

  it.each([
    [{}, []],
    [{ watch: { scope: 'own' } }, ['ops']],
    [{ watch: { scope: 'namespaces', namespaces: ['team-a', 'team-b'] } }, ['team-a', 'team-b']],
    [{ watch: { scope: 'own' }, namespaceOverride: 'other' }, ['other']],
  ])('watch with %j the namespaces %j', async (values, namespaces) => {
    expect(loadConfig({}, await argsOf('mxnet', values, { namespace: 'ops' })).namespaces).toEqual(namespaces);
  });

  it.each([
    [{}, undefined],
    [{ scheduler: 'volcano' }, 'volcano'],
    [{ scheduler: 'yunikorn' }, 'yunikorn'],
    [{ scheduler: 'scheduler-plugins' }, 'scheduler-plugins-scheduler'],
    [{ scheduler: 'scheduler-plugins', schedulerName: 'mine' }, 'mine'],
  ])('name with %j the gang scheduler %s', async (gangScheduling, name) => {
    expect(loadConfig({}, await argsOf('mxnet', { gangScheduling })).gangSchedulerName).toBe(name);
  });

  it.each([
    [[], []],
    [
      ['volcano', 'mine'],
      ['volcano', 'mine'],
    ],
  ])('name with %j the gang schedulers %j', async (others, names) => {
    expect(loadConfig({}, await argsOf('mxnet', { gangScheduling: { others } })).gangSchedulers).toEqual(names);
  });

  it('end with operator.extraArgs', async () => {
    const operator = { extraArgs: ['--log-level=error'] };
    expect(loadConfig({}, await argsOf('mxnet', { operator })).logLevel).toBe('error');
  });
});
