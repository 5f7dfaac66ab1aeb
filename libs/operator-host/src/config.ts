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
    about: 'Port of /healthz, /readyz and /metrics; 0 takes any free one.',
  },
  host: {
    name: 'host',
    kind: text('<address>', 'an address of this machine'),
    about: 'Address to listen on; all addresses unless set.',
  },
  kubeconfig: {
    name: 'kubeconfig',
    // `loadCluster` reads the variable: it may list several files, the flag names one.
    env: false,
    kind: text('<file>', 'a file'),
    about: "Which cluster to work on; unless set $KUBECONFIG, else the pod's own, else ~/.kube/config.",
  },
  context: {
    name: 'context',
    kind: text('<name>', 'the name of a context'),
    about: 'Context of the kubeconfig; its current one unless set.',
  },
  namespaces: {
    name: 'namespace',
    env: 'MUSTER_NAMESPACES',
    kind: names('<name,…>'),
    default: '',
    about: 'Namespaces to look after (may be repeated); all of them unless set.',
  },
  concurrency: {
    name: 'concurrency',
    kind: wholeNumber(1, 1000),
    default: '16',
    about: 'Jobs reconciled at the same time.',
  },
  serviceMode: {
    name: 'service-mode',
    kind: oneOf(['PerJob', 'PerReplica']),
    default: 'PerJob',
    about: "One headless Service per job, or Kubeflow's form: one per replica.",
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
      'Image of the init containers by which roles wait for others (runPolicy.startOrder), with a shell, and nc or bash. Default: the image of the role that waits.',
  },
  sidecarGraceMs: {
    name: 'sidecar-grace-period',
    kind: duration(),
    default: '30s',
    about:
      'How long the other containers of a pod may run after its main container and its job have ended, where cleanPodPolicy deletes the pod. ' +
      'A job may set the annotation muster.dev/sidecar-grace-seconds instead.',
  },
  gangSchedulerName: {
    name: 'gang-scheduler-name',
    kind: text('<name>', 'the name of a scheduler'),
    about:
      'Start all pods of a job together: volcano, kubernetes (its own pod groups), yunikorn, kai-scheduler, or the name of a ' +
      'scheduler with the plugin Coscheduling.',
  },
  gangSchedulers: {
    name: 'gang-schedulers',
    kind: names('<name,…>'),
    default: '',
    about:
      'Further gang schedulers, which jobs may name by the annotation muster.dev/gang-scheduler or as their schedulerName.',
  },
  kueue: {
    name: 'kueue',
    kind: oneOf(['None', 'Own']),
    default: 'None',
    about:
      "Own: this operator makes the Workloads by which Kueue queues its jobs. None: Kueue's own integrations do, where they are on.",
  },
  volcanoJobs: {
    name: 'volcano-jobs',
    kind: onOff(),
    default: 'false',
    about:
      "Run Volcano Jobs (batch.volcano.sh) that name this framework's plugin. Only where Volcano's own job controller is off: it knows no opt-out.",
  },
  forceDeletePodsOnLostNodes: {
    name: 'force-delete-pods-on-lost-nodes',
    kind: onOff(),
    default: 'false',
    about: 'Let jobs ask, by lostNodeTimeoutSeconds, that pods stuck on a lost node are deleted by force. Reads nodes.',
  },
  jobNetworkPolicy: {
    name: 'job-network-policy',
    kind: oneOf(JOB_NETWORK_POLICIES),
    default: 'None',
    about:
      'A NetworkPolicy for each job: only its own pods reach them (DenyIngress), and they reach only one another and DNS (DenyAll). ' +
      'RayClusters say it themselves, by spec.networkPolicy.',
  },
  leaderElect: {
    name: 'leader-elect',
    kind: onOff(),
    default: 'true',
    about: 'Only the replica that holds the Lease acts. Turn off only where there is exactly one.',
  },
  leaderElectionNamespace: {
    name: 'leader-election-namespace',
    kind: dnsName('<name>'),
    about: "Where the Lease is; the pod's own namespace, or that of the kubeconfig's context, unless set.",
  },
  leaderElectionId: {
    name: 'leader-election-id',
    kind: dnsName('<name>'),
    about: 'Name of the Lease; unless set, follows from the framework and --namespace.',
  },
  leaseDurationMs: {
    name: 'leader-election-lease-duration',
    kind: duration(),
    default: '15s',
    about: 'How long the others wait before they take over from a leader that is silent.',
  },
  renewDeadlineMs: {
    name: 'leader-election-renew-deadline',
    kind: duration(),
    default: '10s',
    about: 'How long the leader tries to renew before it gives up.',
  },
  retryPeriodMs: {
    name: 'leader-election-retry-period',
    kind: duration(),
    default: '2s',
    about: 'Time between tries to take or renew the Lease.',
  },
  kubeApiQps: {
    name: 'kube-api-qps',
    kind: wholeNumber(0, 100_000),
    default: '0',
    about: 'Requests per second to the API server in the long run; 0 leaves the limit to its own fair queues.',
  },
  kubeApiBurst: {
    name: 'kube-api-burst',
    kind: wholeNumber(1, 100_000),
    about: 'Requests at once when --kube-api-qps is set; twice that unless set.',
  },
  perJobMetrics: {
    name: 'per-job-metrics',
    kind: onOff(),
    default: 'true',
    about: 'Gauges of each job by itself. Turn off where tens of thousands of jobs are too much for Prometheus.',
  },
  logLevel: {
    name: 'log-level',
    kind: oneOf(['debug', 'info', 'warn', 'error']),
    default: 'info',
    about: 'The least important lines that are still written.',
  },
  logFormat: {
    name: 'log-format',
    kind: oneOf(['json', 'text']),
    default: 'json',
    about: 'JSON lines for machines, or text for people.',
  },
  record: {
    name: 'record',
    kind: text('<folder>', 'a folder'),
    about:
      'For maintainers: write what each pass over a job was planned with, and its plan, into files of this folder (the newest 128 MiB), for ' +
      'muster replay. They have all that the manifests say, but no data of Secrets.',
  },
  shutdownTimeoutMs: {
    name: 'shutdown-timeout',
    kind: duration(),
    default: '25s',
    about: "How long running reconciles may take to end; keep it below the pod's termination grace period.",
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

export function asksForHelp(argv: readonly string[]): boolean {
  return argv.some((arg) => arg === '--help' || arg === '-h');
}

export function helpText(framework: string, frameworkFlags: FlagSet): string {
  const command = new Command(`muster operator ${framework}`)
    .usage('[flags]')
    .description(
      `The ${framework} operator: runs in the foreground until SIGTERM or SIGINT, then drains and exits 0.\n\n` +
        'Each flag can be given as an environment variable too (env); the flag wins.',
    )
    .configureHelp({ helpWidth: Math.max(120, process.stdout.columns ?? 0) });
  for (const flag of Object.values(OPERATOR_FLAGS)) command.addOption(optionOf(flag).helpGroup('Flags:'));
  for (const flag of Object.values(frameworkFlags)) command.addOption(optionOf(flag).helpGroup(`For ${framework}:`));
  command.addHelpOption(new Option('-h, --help', 'Print this help.').helpGroup('Flags:'));
  return command.helpInformation();
}
