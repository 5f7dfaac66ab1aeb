/** Settings of all operators. `loadConfig` is called first and throws `ConfigError` with one line for the user. */
import { JOB_NETWORK_POLICIES } from '@muster/common-job-controller';
import { Command, Option } from 'commander';
import type { FlagSet, FlagValues } from './flags.ts';
import {
  ConfigError,
  dnsName,
  duration,
  names,
  onOff,
  oneOf,
  optionOf,
  parseFlags,
  text,
  wholeNumber,
} from './flags.ts';

export const OPERATOR_FLAGS = {
  port: {
    name: 'port',
    kind: wholeNumber(0, 65535),
    default: '8080',
    about: 'Port of /healthz, /readyz and /metrics. 0: any free port.',
  },
  host: {
    name: 'host',
    kind: text('<address>', 'an address of this machine'),
    about: 'Address to listen on. Default: all addresses.',
  },
  kubeconfig: {
    name: 'kubeconfig',
    // `loadCluster` reads the variable: it may list several files, the flag names one.
    env: false,
    kind: text('<file>', 'a file'),
    about: "Kubeconfig of the cluster. Default: $KUBECONFIG, else the pod's own cluster, else ~/.kube/config.",
  },
  context: {
    name: 'context',
    kind: text('<name>', 'the name of a context'),
    about: 'Context of the kubeconfig. Default: its current context.',
  },
  namespaces: {
    name: 'namespace',
    env: 'MUSTER_NAMESPACES',
    kind: names('<name,…>'),
    default: '',
    about: 'Namespaces to watch. May be repeated. Default: all namespaces.',
  },
  concurrency: {
    name: 'concurrency',
    kind: wholeNumber(1, 1000),
    default: '16',
    about: 'Jobs of one kind that are reconciled at the same time.',
  },
  serviceMode: {
    name: 'service-mode',
    kind: oneOf(['PerJob', 'PerReplica']),
    default: 'PerJob',
    about: "PerJob: one headless Service per job. PerReplica: one per replica, as Kubeflow's operator does.",
  },
  clusterDomain: {
    name: 'cluster-domain',
    kind: dnsName('<domain>'),
    default: 'cluster.local',
    about: 'DNS domain of the cluster.',
  },
  startOrderInitImage: {
    name: 'start-order-init-image',
    kind: text('<image>', 'an image'),
    about:
      'Image of the init containers that delay roles (runPolicy.startOrder). Needs a shell, and nc or bash. Default: the image of the delayed role.',
  },
  sidecarGraceMs: {
    name: 'sidecar-grace-period',
    kind: duration(),
    default: '30s',
    about:
      'How long the other containers of a pod may run after its main container and its job have ended, if cleanPodPolicy deletes the pod. ' +
      'The annotation muster.dev/sidecar-grace-seconds sets it for one job.',
  },
  gangSchedulerName: {
    name: 'gang-scheduler-name',
    kind: text('<name>', 'the name of a scheduler'),
    about:
      'Gang scheduler that starts all pods of a job together: volcano, kubernetes (its own pod groups), yunikorn, kai-scheduler, or ' +
      'the name of a scheduler with the plugin Coscheduling. Default: none.',
  },
  gangSchedulers: {
    name: 'gang-schedulers',
    kind: names('<name,…>'),
    default: '',
    about:
      'Further gang schedulers. A job selects one by the annotation muster.dev/gang-scheduler or by schedulerName.',
  },
  kueue: {
    name: 'kueue',
    kind: oneOf(['None', 'Own']),
    default: 'None',
    about:
      "Own: this operator creates the Workloads by which Kueue queues its jobs. None: Kueue's own integrations do, if they are enabled.",
  },
  volcanoJobs: {
    name: 'volcano-jobs',
    kind: onOff(),
    default: 'false',
    about:
      "Run Volcano Jobs (batch.volcano.sh) that name this framework's plugin. Volcano's own job controller has to be off: it runs every Job.",
  },
  forceDeletePodsOnLostNodes: {
    name: 'force-delete-pods-on-lost-nodes',
    kind: onOff(),
    default: 'false',
    about:
      'Delete pods stuck on a lost node by force, for jobs with lostNodeTimeoutSeconds. The operator then reads nodes.',
  },
  jobNetworkPolicy: {
    name: 'job-network-policy',
    kind: oneOf(JOB_NETWORK_POLICIES),
    default: 'None',
    about:
      'Create a NetworkPolicy for each job. DenyIngress: only pods of the job can connect to its pods. DenyAll: in addition, its pods can ' +
      'connect only to one another and to DNS. Not for Ray: a RayCluster has spec.networkPolicy.',
  },
  shadow: {
    name: 'shadow',
    kind: onOff(),
    default: 'false',
    about:
      'Write nothing, and compare what another operator does with the jobs with what this one would do: see muster shadow report. ' +
      'There is no leader election, and no gauge of jobs.',
  },
  leaderElect: {
    name: 'leader-elect',
    kind: onOff(),
    default: 'true',
    about: 'Only the replica that holds the Lease reconciles jobs. Turn off only with exactly one replica.',
  },
  leaderElectionNamespace: {
    name: 'leader-election-namespace',
    kind: dnsName('<name>'),
    about: "Namespace of the Lease. Default: that of the pod, or of the kubeconfig's context.",
  },
  leaderElectionId: {
    name: 'leader-election-id',
    kind: dnsName('<name>'),
    about: 'Name of the Lease. Default: muster-<framework>, with a suffix for the namespaces in --namespace.',
  },
  leaseDurationMs: {
    name: 'leader-election-lease-duration',
    kind: duration(),
    default: '15s',
    about: 'How long other replicas wait for a leader that does not renew the Lease, before one of them takes over.',
  },
  renewDeadlineMs: {
    name: 'leader-election-renew-deadline',
    kind: duration(),
    default: '10s',
    about: 'How long the leader tries to renew the Lease before it stops leading.',
  },
  retryPeriodMs: {
    name: 'leader-election-retry-period',
    kind: duration(),
    default: '2s',
    about: 'Time between attempts to acquire or renew the Lease.',
  },
  kubeApiQps: {
    name: 'kube-api-qps',
    kind: wholeNumber(0, 100_000),
    default: '0',
    about: "Average requests per second to the API server. 0: no limit but the API server's priority and fairness.",
  },
  kubeApiBurst: {
    name: 'kube-api-burst',
    kind: wholeNumber(1, 100_000),
    about: 'Burst of requests if --kube-api-qps is set. Default: twice --kube-api-qps.',
  },
  perJobMetrics: {
    name: 'per-job-metrics',
    kind: onOff(),
    default: 'true',
    about: 'Export gauges for each job. Turn off if Prometheus cannot store the series of tens of thousands of jobs.',
  },
  logLevel: {
    name: 'log-level',
    kind: oneOf(['debug', 'info', 'warn', 'error']),
    default: 'info',
    about: 'Minimum level of the log lines.',
  },
  logFormat: {
    name: 'log-format',
    kind: oneOf(['json', 'text']),
    default: 'json',
    about: 'Format of the log lines.',
  },
  record: {
    name: 'record',
    kind: text('<folder>', 'a folder'),
    about:
      'Record the input and the plan of each reconcile run in files of this folder, for muster history, muster why --at and ' +
      'muster replay. Records contain whole manifests, but no data of Secrets.',
  },
  recordSize: {
    name: 'record-size',
    kind: wholeNumber(8, 1024 * 1024),
    default: '128',
    about:
      'With --record: size limit of all files in MiB. The oldest are deleted. Leave the volume some space beyond it.',
  },
  recordEnvironment: {
    name: 'record-environment',
    kind: onOff(),
    default: 'false',
    about:
      'With --record: also record values of environment variables. By default they are replaced, as are values of options and ' +
      'fields that are named like a password or token.',
  },
  shutdownTimeoutMs: {
    name: 'shutdown-timeout',
    kind: duration(),
    default: '25s',
    about: "How long running reconciles may take to end. Has to be less than the pod's terminationGracePeriodSeconds.",
  },
} as const satisfies FlagSet;

export type OperatorConfig<F extends FlagSet = Record<never, never>> = FlagValues<typeof OPERATOR_FLAGS> &
  FlagValues<F>;

export function loadConfig<F extends FlagSet>(frameworkFlags: F, argv: readonly string[]): OperatorConfig<F> {
  const config = parseFlags({ ...OPERATOR_FLAGS, ...frameworkFlags }, argv) as OperatorConfig<F>;
  // client-go's rules: a leader gives up before another takes over, and retries at least once before that.
  if (config.leaseDurationMs <= config.renewDeadlineMs) {
    throw new ConfigError('--leader-election-lease-duration: expected more than --leader-election-renew-deadline.');
  }
  if (config.renewDeadlineMs <= config.retryPeriodMs * 1.2) {
    throw new ConfigError(
      '--leader-election-renew-deadline: expected more than 1.2 times --leader-election-retry-period.',
    );
  }
  return config;
}

export function isHelpRequested(argv: readonly string[]): boolean {
  return argv.some((arg) => arg === '--help' || arg === '-h');
}

export function helpText(framework: string, frameworkFlags: FlagSet): string {
  const command = new Command(`muster operator ${framework}`)
    .usage('[flags]')
    .description(
      `The ${framework} operator: runs in the foreground until SIGTERM or SIGINT, then drains and exits 0.\n\n` +
        'Each flag can also be set by its environment variable (env). The flag takes precedence.',
    )
    .configureHelp({ helpWidth: Math.max(120, process.stdout.columns ?? 0) });
  for (const flag of Object.values(OPERATOR_FLAGS)) command.addOption(optionOf(flag).helpGroup('Flags:'));
  for (const flag of Object.values(frameworkFlags)) command.addOption(optionOf(flag).helpGroup(`For ${framework}:`));
  command.addHelpOption(new Option('-h, --help', 'Print this help.').helpGroup('Flags:'));
  return command.helpInformation();
}
