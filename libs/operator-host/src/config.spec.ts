import { describe, expect, it } from 'vitest';
import { asksForHelp, helpText, loadConfig, OPERATOR_FLAGS } from './config.ts';
import type { FlagSet } from './flags.ts';
import { ConfigError, environmentVariable, text, wholeNumber } from './flags.ts';

const OWN_FLAGS = {
  image: { name: 'pytorch-init-container-image', kind: text('<image>'), default: 'alpine', about: 'An image.' },
  tries: { name: 'pytorch-init-container-max-tries', kind: wholeNumber(1, 10), about: 'How often.' },
} as const satisfies FlagSet;

const load = (argv: string[], env: NodeJS.ProcessEnv = {}) => loadConfig(OWN_FLAGS, argv, env);

function refusal(argv: string[], env: NodeJS.ProcessEnv = {}): string {
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
      gangSchedulerName: undefined,
      forceDeletePodsOnLostNodes: false,
      leaderElect: true,
      leaderElectionNamespace: undefined,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      kubeApiQps: 0,
      kubeApiBurst: undefined,
      logLevel: 'info',
      logFormat: 'json',
      shutdownTimeoutMs: 25_000,
      image: 'alpine',
      tries: undefined,
    });
  });

  it('takes each flag from its environment variable as well', () => {
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

  it('collects repeated and comma-separated namespaces, each once', () => {
    expect(load(['--namespace', 'a', '--namespace=b,c', '--namespace', 'a']).namespaces).toEqual(['a', 'b', 'c']);
  });

  it('takes the last of a flag that is given twice but cannot be repeated', () => {
    expect(load(['--port', '1', '--port', '2']).port).toBe(2);
  });

  it('reads switches with and without a value', () => {
    expect(load(['--leader-elect']).leaderElect).toBe(true);
    expect(load(['--leader-elect=false']).leaderElect).toBe(false);
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
    [['--port', 'http'], '--port "http": expected a whole number from 0 to 65535.'],
    [['--port', '65536'], '--port "65536": expected a whole number from 0 to 65535.'],
    [['--port=-1'], '--port "-1": expected a whole number from 0 to 65535.'],
    [['--port=1.5'], '--port "1.5": expected a whole number from 0 to 65535.'],
    [['--port='], '--port "": expected a whole number from 0 to 65535.'],
    [['--port'], '--port needs a value: a whole number from 0 to 65535.'],
    [['--port', '--host', 'x'], '--port needs a value: a whole number from 0 to 65535.'],
    [['--prot', '1'], '--prot is not a flag of this operator. Did you mean --port? See --help.'],
    [
      ['--leader-election', '1'],
      '--leader-election is not a flag of this operator. Did you mean --leader-elect? See --help.',
    ],
    [['--zzzzzzz'], '--zzzzzzz is not a flag of this operator. See --help.'],
    [['-p', '1'], '-p is not a flag of this operator. See --help.'],
    [['extra'], '"extra" is not expected here: flags begin with --.'],
    [['--namespace', 'Team_A'], '--namespace "Team_A": expected Kubernetes names, separated by commas.'],
    [['--concurrency', '0'], '--concurrency "0": expected a whole number from 1 to 1000.'],
    [['--service-mode', 'perjob'], '--service-mode "perjob": expected one of PerJob, PerReplica.'],
    [['--cluster-domain', 'Cluster Local'], '--cluster-domain "Cluster Local": expected a DNS name in lower case.'],
    [['--leader-elect=yes'], '--leader-elect "yes": expected true or false.'],
    [['--leader-election-id', 'a/b'], '--leader-election-id "a/b": expected a DNS name in lower case.'],
    [['--leader-election-namespace', 'A'], '--leader-election-namespace "A": expected a DNS name in lower case.'],
    [
      ['--leader-election-lease-duration', '15'],
      '--leader-election-lease-duration "15": expected a duration above zero such as 15s, 500ms or 1m30s.',
    ],
    [
      ['--leader-election-retry-period', '0s'],
      '--leader-election-retry-period "0s": expected a duration above zero such as 15s, 500ms or 1m30s.',
    ],
    [
      ['--leader-election-lease-duration', '5s'],
      '--leader-election-lease-duration: expected more than --leader-election-renew-deadline.',
    ],
    [
      ['--leader-election-retry-period', '9s'],
      '--leader-election-renew-deadline: expected more than 1.2 times --leader-election-retry-period.',
    ],
    [['--kube-api-qps', 'many'], '--kube-api-qps "many": expected a whole number from 0 to 100000.'],
    [['--kube-api-burst', '0'], '--kube-api-burst "0": expected a whole number from 1 to 100000.'],
    [['--log-level', 'trace'], '--log-level "trace": expected one of debug, info, warn, error.'],
    [['--log-format', 'xml'], '--log-format "xml": expected one of json, text.'],
    [['--shutdown-timeout', ''], '--shutdown-timeout "": expected a duration above zero such as 15s, 500ms or 1m30s.'],
    [
      ['--pytorch-init-container-max-tries', '11'],
      '--pytorch-init-container-max-tries "11": expected a whole number from 1 to 10.',
    ],
  ])('%j with one line that says what is allowed', (argv, message) => {
    expect(refusal(argv)).toBe(message);
  });

  it('a wrong environment variable by the name of the variable', () => {
    expect(refusal([], { MUSTER_PORT: 'http' })).toBe('MUSTER_PORT "http": expected a whole number from 0 to 65535.');
    expect(refusal([], { MUSTER_NAMESPACES: 'a;b' })).toBe(
      'MUSTER_NAMESPACES "a;b": expected Kubernetes names, separated by commas.',
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

  it('is asked for anywhere on the command line', () => {
    expect(asksForHelp(['--port', 'nonsense', '--help'])).toBe(true);
    expect(asksForHelp(['-h'])).toBe(true);
    expect(asksForHelp(['--port', '1'])).toBe(false);
  });
});
