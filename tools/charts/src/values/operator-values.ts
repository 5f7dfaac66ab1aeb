/** Values that say what the operator does: whose jobs it runs, how, and what it is allowed to. */
import * as z from 'zod';
import { choice, duration, group, kubernetesList, onOff, optionalName, text, textMap, wholeNumber } from './value.ts';

const OPERATOR_VALUES = {
  watch: group('Whose jobs the operator runs. Give each namespace to one release.', {
    scope: choice(['cluster', 'namespaces', 'own'], 'cluster', {
      description: 'All namespaces (cluster), those that are listed (namespaces), or that of the release (own).',
    }),
    namespaces: z
      .array(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/))
      .default([])
      .meta({ uniqueItems: true })
      .describe('With the scope namespaces: which. They have to be there, because each gets a Role and a RoleBinding.'),
  }),

  operator: group('Settings of the operator.', {
    concurrency: wholeNumber([1, 1000], 16, { flag: 'concurrency', description: 'Jobs reconciled at the same time.' }),
    serviceMode: choice(['PerJob', 'PerReplica'], 'PerJob', {
      flag: 'service-mode',
      description: "One headless Service per job, or Kubeflow's form: one per replica.",
    }),
    clusterDomain: text('cluster.local', { flag: 'cluster-domain', description: 'DNS domain of the cluster.' }),
    startOrderInitImage: text('', {
      flag: 'start-order-init-image',
      description:
        'Image of the init containers by which roles wait for others (runPolicy.startOrder), with a shell, and nc or bash. Unless set, it is that of the role that waits.',
    }),
    sidecarGracePeriod: duration('30s', {
      flag: 'sidecar-grace-period',
      description:
        'How long the other containers of a pod may run after its main container and its job have ended, where cleanPodPolicy deletes the pod.',
    }),
    kueue: choice(['None', 'Own'], 'None', {
      flag: 'kueue',
      description:
        "Own: this operator makes the Workloads by which Kueue queues its jobs, instead of Kueue's own integrations. Needs the " +
        'right to read resource flavors and priority classes in the whole cluster.',
    }),
    volcanoJobs: onOff(false, {
      flag: 'volcano-jobs',
      description:
        "Run Volcano Jobs (batch.volcano.sh) that name this framework's plugin. Only where Volcano's own job controller is off: it " +
        'knows no opt-out. Their CRDs are in the chart volcano-crds, or Volcano has installed them.',
    }),
    forceDeletePodsOnLostNodes: onOff(false, {
      flag: 'force-delete-pods-on-lost-nodes',
      description:
        'Let jobs ask, by lostNodeTimeoutSeconds, that pods stuck on a lost node are deleted by force. Needs the right to ' +
        'read nodes in the whole cluster.',
    }),
    kubeApiQps: wholeNumber([0, 100_000], 0, {
      flag: 'kube-api-qps',
      description: 'Requests per second to the API server in the long run; 0 leaves the limit to its own fair queues.',
    }),
    kubeApiBurst: z
      .union([z.int().min(1).max(100_000), z.literal('')])
      .default('')
      .meta({
        flag: 'kube-api-burst',
        description: 'Requests at once when kubeApiQps is set; twice that unless set.',
      }),
    logLevel: choice(['debug', 'info', 'warn', 'error'], 'info', {
      flag: 'log-level',
      description: 'The least important lines that are still written.',
    }),
    logFormat: choice(['json', 'text'], 'json', {
      flag: 'log-format',
      description: 'JSON lines for machines, or text for people.',
    }),
    recordPasses: onOff(false, {
      description:
        'For maintainers: record what each pass over a job was planned with, and its plan, in a volume of the pod at /passes (the newest ' +
        '128 MiB), for muster replay. The records have all that the manifests say, but no data of Secrets.',
    }),
    shutdownTimeoutSeconds: wholeNumber([1, 3600], 25, {
      description: 'How long running reconciles may take to end. The pod is given 10 seconds more.',
    }),
    extraArgs: z.array(z.string()).default([]).describe('Further flags of the operator, as it takes them.'),
  }),

  leaderElection: group('Of several replicas the one that holds the Lease acts; another takes over when it is gone.', {
    enabled: onOff(true, {
      flag: 'leader-elect',
      description: 'Whether a Lease is needed to act. Turn off only with one replica: it is then recreated on an upgrade.',
    }),
    namespace: optionalName({
      flag: 'leader-election-namespace',
      description: 'Where the Lease is; the namespace of the release unless set.',
    }),
    id: optionalName({
      flag: 'leader-election-id',
      description: 'Name of the Lease; unless set, follows from the framework and the namespaces.',
    }),
    leaseDuration: duration('15s', {
      flag: 'leader-election-lease-duration',
      description: 'How long the others wait before they take over from a leader that is silent.',
    }),
    renewDeadline: duration('10s', {
      flag: 'leader-election-renew-deadline',
      description: 'How long the leader tries to renew before it gives up.',
    }),
    retryPeriod: duration('2s', {
      flag: 'leader-election-retry-period',
      description: 'Time between tries to take or renew the Lease.',
    }),
  }),

  gangScheduling: group('Start all pods of a job together, or none. Rights are given for the chosen schedulers only.', {
    scheduler: choice(['', 'volcano', 'scheduler-plugins', 'kubernetes', 'yunikorn', 'kai-scheduler'], '', {
      description:
        'volcano, scheduler-plugins (a scheduler with the plugin Coscheduling), kubernetes (its own pod groups), yunikorn, ' +
        'kai-scheduler, or none.',
    }),
    schedulerName: text('scheduler-plugins-scheduler', {
      description: 'With scheduler-plugins: the name of that scheduler, as pods have it in spec.schedulerName.',
    }),
    others: z
      .array(z.string().regex(/^[a-zA-Z0-9]([-.a-zA-Z0-9]{0,251}[a-zA-Z0-9])?$/))
      .default([])
      .meta({ uniqueItems: true })
      .describe(
        'Further ones, which jobs may name by the annotation muster.dev/gang-scheduler or as their schedulerName: volcano, ' +
          'kubernetes, yunikorn, kai-scheduler, or the name of a scheduler with the plugin Coscheduling.',
      ),
  }),

  rbac: group('Rights, made from what the operator declares that it needs.', {
    create: onOff(true, {
      description: 'Whether roles and their bindings are made. Without them the operator is not ready, and says what it lacks.',
    }),
    aggregateToDefaultRoles: onOff(true, {
      description:
        "Whether the default roles admin and edit may change this framework's kinds, and view may read them. These are " +
        'ClusterRoles, also with a smaller scope.',
    }),
    findOtherOperators: onOff(true, {
      description:
        'Whether the operator may list Leases in all namespaces, by which it finds other operators that run the same jobs. This is a ' +
        'ClusterRole, also with a smaller scope. Without it, it finds only those whose Lease is in the namespace of its own.',
    }),
    extraRules: kubernetesList('Further rules of the operator, where it has its rights to jobs.'),
  }),

  serviceAccount: group('The account of the operator.', {
    create: onOff(true, { description: 'Whether it is made.' }),
    name: optionalName({
      description: "Its name; that of the release's objects unless set, or default if it is not made.",
    }),
    annotations: textMap('Its annotations.'),
  }),

  crds: group("The CRDs of this framework's kinds. They are upgraded with the release, and stay when it goes: without a CRD there are none of its jobs.", {
    install: onOff(true, {
      description: 'Whether the release has them. Turn off for a second release in a cluster, or where others install them.',
    }),
  }),
};

/** @param runsVolcanoJobs whether the framework has a plugin by which its operator can run Volcano Jobs */
export function operatorValues(runsVolcanoJobs: boolean): z.ZodRawShape {
  if (runsVolcanoJobs) return OPERATOR_VALUES;
  return { ...OPERATOR_VALUES, operator: OPERATOR_VALUES.operator.omit({ volcanoJobs: true }) };
}
