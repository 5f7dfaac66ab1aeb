import { afterEach, describe, expect, it, vi } from 'vitest';
import { isHelpRequested, helpText, loadConfig, OPERATOR_FLAGS } from './config.ts';
import type { FlagSet } from './flags.ts';
import { ConfigError, environmentVariable, text, wholeNumber } from './flags.ts';

const OWN_FLAGS = {
  image: { name: 'pytorch-init-container-image', kind: text('<image>'), default: 'alpine', about: 'An image.' },
  tries: { name: 'pytorch-init-container-max-tries', kind: wholeNumber(1, 10), about: 'How often.' },
} as const satisfies FlagSet;

afterEach(() => {
  vi.unstubAllEnvs();
});

function load(argv: string[], env: Readonly<Record<string, string>> = {}) {
  vi.unstubAllEnvs();
  for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
  return loadConfig(OWN_FLAGS, argv);
}

function refusal(argv: string[], env: Readonly<Record<string, string>> = {}): string {
  try {
    load(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return 'accepted';
}

describe('loadConfig', () => {
  it('has a default for everything but the cluster, the address and the namespace of the Lease', () => {
    expect(load([])).toEqual({
      port: 8080,
      host: undefined,
      kubeconfig: undefined,
      context: undefined,
      namespaces: [],
      concurrency: 16,
      serviceMode: 'PerJob',
      clusterDomain: 'cluster.local',
      sidecarGraceMs: 30_000,
      gangSchedulerName: undefined,
      gangSchedulers: [],
      kueue: 'None',
      volcanoJobs: false,
      forceDeletePodsOnLostNodes: false,
      jobNetworkPolicy: 'None',
      shadow: false,
      leaderElect: true,
      leaderElectionNamespace: undefined,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      kubeApiQps: 0,
      kubeApiBurst: undefined,
      perJobMetrics: true,
      logLevel: 'info',
      logFormat: 'json',
      record: undefined,
      recordSize: 128,
      recordEnvironment: false,
      shutdownTimeoutMs: 25_000,
      image: 'alpine',
      tries: undefined,
    });
  });

  it('reads each flag from its environment variable as well', () => {
    const env = {
      MUSTER_PORT: '9090',
      MUSTER_NAMESPACES: 'team-a, team-b',
      MUSTER_SERVICE_MODE: 'PerReplica',
      MUSTER_LEADER_ELECT: 'false',
      MUSTER_SHUTDOWN_TIMEOUT: '1m30s',
      MUSTER_PYTORCH_INIT_CONTAINER_IMAGE: 'busybox',
    };
    expect(load([], env)).toMatchObject({
      port: 9090,
      namespaces: ['team-a', 'team-b'],
      serviceMode: 'PerReplica',
      leaderElect: false,
      shutdownTimeoutMs: 90_000,
      image: 'busybox',
    });
  });

  it('prefers the flag to the variable, and the variable to the default', () => {
    expect(load(['--port', '1'], { MUSTER_PORT: '2' }).port).toBe(1);
    expect(load(['--port=1'], { MUSTER_PORT: 'not a port' }).port).toBe(1);
    expect(load([], { MUSTER_PORT: '2' }).port).toBe(2);
    expect(load([], { MUSTER_PORT: '' }).port).toBe(8080);
  });

  it('replaces a variable by its flag, also for lists', () => {
    expect(load(['--namespace', 'a'], { MUSTER_NAMESPACES: 'b' }).namespaces).toEqual(['a']);
  });

  it('collects repeated and comma-separated namespaces without duplicates', () => {
    expect(load(['--namespace', 'a', '--namespace=b,c', '--namespace', 'a']).namespaces).toEqual(['a', 'b', 'c']);
  });

  it('uses the last of a flag that is given twice but cannot be repeated', () => {
    expect(load(['--port', '1', '--port', '2']).port).toBe(2);
  });

  it('reads switches with and without a value', () => {
    expect(load(['--leader-elect']).leaderElect).toBe(true);
    expect(load(['--leader-elect=false']).leaderElect).toBe(false);
    expect(load(['--leader-elect', 'false', '--port', '1']).leaderElect).toBe(false);
    expect(load(['--leader-elect', '--port', '1'], { MUSTER_LEADER_ELECT: 'false' }).leaderElect).toBe(true);
  });

  it.each([
    ['500ms', 500],
    ['15s', 15_000],
    ['1.5s', 1500],
    ['1m30s', 90_000],
    ['2h', 7_200_000],
  ])('reads the duration %s', (written, expected) => {
    expect(load(['--shutdown-timeout', written]).shutdownTimeoutMs).toBe(expected);
  });
});

describe('loadConfig refuses', () => {
  it.each([
    [
      ['--port', 'http'],
      "error: option '--port <number>' argument 'http' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [
      ['--port', '65536'],
      "error: option '--port <number>' argument '65536' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [
      ['--port=-1'],
      "error: option '--port <number>' argument '-1' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [
      ['--port=1.5'],
      "error: option '--port <number>' argument '1.5' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [['--port='], "error: option '--port <number>' argument '' is invalid. Expected a whole number from 0 to 65535."],
    [['--port'], "error: option '--port <number>' argument missing"],
    [
      ['--port', '--host', 'x'],
      "error: option '--port <number>' argument '--host' is invalid. Expected a whole number from 0 to 65535.",
    ],
    [
      ['--host', '--port', '1'],
      "error: option '--host <address>' argument '--port' is invalid. Expected an address of this machine.",
    ],
    [['--prot', '1'], "error: unknown option '--prot' (Did you mean --port?)"],
    [
      ['--leader-election', '1'],
      "error: unknown option '--leader-election' (Did you mean one of --leader-elect, --leader-election-id?)",
    ],
    [['--zzzzzzz'], "error: unknown option '--zzzzzzz'"],
    [['-p', '1'], "error: unknown option '-p'"],
    [['extra'], 'error: too many arguments. Expected 0 arguments but got 1: extra.'],
    [
      ['--namespace', 'Team_A'],
      "error: option '--namespace <name,…>' argument 'Team_A' is invalid. Expected Kubernetes names, separated by commas.",
    ],
    [
      ['--concurrency', '0'],
      "error: option '--concurrency <number>' argument '0' is invalid. Expected a whole number from 1 to 1000.",
    ],
    [
      ['--service-mode', 'perjob'],
      "error: option '--service-mode <PerJob|PerReplica>' argument 'perjob' is invalid. Expected one of PerJob, PerReplica.",
    ],
    [
      ['--cluster-domain', 'Cluster Local'],
      "error: option '--cluster-domain <domain>' argument 'Cluster Local' is invalid. Expected a DNS name in lower case.",
    ],
    [
      ['--leader-elect=yes'],
      "error: option '--leader-elect [true|false]' argument 'yes' is invalid. Expected true or false.",
    ],
    [
      ['--leader-election-id', 'a/b'],
      "error: option '--leader-election-id <name>' argument 'a/b' is invalid. Expected a DNS name in lower case.",
    ],
    [
      ['--leader-election-namespace', 'A'],
      "error: option '--leader-election-namespace <name>' argument 'A' is invalid. Expected a DNS name in lower case.",
    ],
    [
      ['--leader-election-lease-duration', '15'],
      "error: option '--leader-election-lease-duration <duration>' argument '15' is invalid. Expected a duration above zero such as 15s, 500ms or 1m30s.",
    ],
    [
      ['--leader-election-retry-period', '0s'],
      "error: option '--leader-election-retry-period <duration>' argument '0s' is invalid. Expected a duration above zero such as 15s, 500ms or 1m30s.",
    ],
    [
      ['--leader-election-lease-duration', '5s'],
      '--leader-election-lease-duration: expected more than --leader-election-renew-deadline.',
    ],
    [
      ['--leader-election-retry-period', '9s'],
      '--leader-election-renew-deadline: expected more than 1.2 times --leader-election-retry-period.',
    ],
    [
      ['--kube-api-qps', 'many'],
      "error: option '--kube-api-qps <number>' argument 'many' is invalid. Expected a whole number from 0 to 100000.",
    ],
    [
      ['--kube-api-burst', '0'],
      "error: option '--kube-api-burst <number>' argument '0' is invalid. Expected a whole number from 1 to 100000.",
    ],
    [
      ['--log-level', 'trace'],
      "error: option '--log-level <debug|info|warn|error>' argument 'trace' is invalid. Expected one of debug, info, warn, error.",
    ],
    [
      ['--log-format', 'xml'],
      "error: option '--log-format <json|text>' argument 'xml' is invalid. Expected one of json, text.",
    ],
    [
      ['--shutdown-timeout', ''],
      "error: option '--shutdown-timeout <duration>' argument '' is invalid. Expected a duration above zero such as 15s, 500ms or 1m30s.",
    ],
    [
      ['--pytorch-init-container-max-tries', '11'],
      "error: option '--pytorch-init-container-max-tries <number>' argument '11' is invalid. Expected a whole number from 1 to 10.",
    ],
  ])('%j with one line that names the allowed values', (argv, message) => {
    expect(refusal(argv)).toBe(message);
  });

  it('an invalid environment variable by the name of the variable', () => {
    expect(refusal([], { MUSTER_PORT: 'http' })).toBe(
      "error: option '--port <number>' value 'http' from env 'MUSTER_PORT' is invalid. Expected a whole number from 0 to 65535.",
    );
    expect(refusal([], { MUSTER_NAMESPACES: 'a;b' })).toBe(
      "error: option '--namespace <name,…>' value 'a;b' from env 'MUSTER_NAMESPACES' is invalid. Expected Kubernetes names, separated by commas.",
    );
  });
});

describe('helpText', () => {
  it('lists every flag with its variable', () => {
    const help = helpText('pytorch-elastic', OWN_FLAGS);
    for (const flag of [...Object.values(OPERATOR_FLAGS), ...Object.values(OWN_FLAGS)]) {
      expect(help).toContain(`--${flag.name}`);
      expect(help).toContain(environmentVariable(flag) ?? '');
    }
  });

  it('is recognized anywhere on the command line', () => {
    expect(isHelpRequested(['--port', 'nonsense', '--help'])).toBe(true);
    expect(isHelpRequested(['-h'])).toBe(true);
    expect(isHelpRequested(['--port', '1'])).toBe(false);
  });
});
