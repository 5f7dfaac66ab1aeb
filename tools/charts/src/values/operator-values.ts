/** Values of the operator: which jobs it runs, how, and its permissions. */
import * as z from 'zod';
import { choice, duration, group, kubernetesList, onOff, optionalName, text, textMap, wholeNumber } from './value.ts';

const OPERATOR_VALUES = {
  watch: group('Namespaces whose jobs the operator runs. Assign each namespace to one release only.', {
    scope: choice(['cluster', 'namespaces', 'own'], 'cluster', {
      description: 'All namespaces (cluster), the listed ones (namespaces), or that of the release (own).',
    }),
    namespaces: z
      .array(z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/))
      .default([])
      .meta({ uniqueItems: true })
      .describe('Namespaces for the scope namespaces. They must exist, because each gets a Role and a RoleBinding.'),
  }),

  operator: group('Settings of the operator.', {
    concurrency: wholeNumber([1, 1000], 16, { flag: 'concurrency', description: 'Number of jobs that are reconciled at the same time.' }),
    serviceMode: choice(['PerJob', 'PerReplica'], 'PerJob', {
      flag: 'service-mode',
      description: "One headless Service per job, or one per replica as in Kubeflow.",
    }),
    clusterDomain: text('cluster.local', { flag: 'cluster-domain', description: 'DNS domain of the cluster.' }),
    startOrderInitImage: text('', {
      flag: 'start-order-init-image',
      description:
        'Image of the init containers that delay a role for runPolicy.startOrder, with a shell and nc or bash. Default: the image of the role that waits.',
    }),
    sidecarGracePeriod: duration('30s', {
      flag: 'sidecar-grace-period',
      description:
        'How long the other containers of a pod may run after its main container and the job have ended, if cleanPodPolicy deletes the pod.',
    }),
    kueue: choice(['None', 'Own'], 'None', {
      flag: 'kueue',
      description:
        "Own: this operator creates the Workloads by which Kueue queues its jobs, instead of Kueue's integrations. Adds the " +
        'permission to read resource flavors and priority classes in the whole cluster.',
    }),
    volcanoJobs: onOff(false, {
      flag: 'volcano-jobs',
      description:
        "Run Volcano Jobs (batch.volcano.sh) that name this framework's plugin. Volcano's job controller must be off, because jobs " +
        'cannot opt out of it. Volcano or the chart volcano-crds installs their CRDs.',
    }),
    forceDeletePodsOnLostNodes: onOff(false, {
      flag: 'force-delete-pods-on-lost-nodes',
      description:
        'Force-delete pods that are stuck on a lost node, for jobs with lostNodeTimeoutSeconds. Adds the permission to ' +
        'read nodes in the whole cluster.',
    }),
    kubeApiQps: wholeNumber([0, 100_000], 0, {
      flag: 'kube-api-qps',
      description: 'Sustained requests per second to the API server. 0: no limit but API Priority and Fairness of the API server.',
    }),
    kubeApiBurst: z
      .union([z.int().min(1).max(100_000), z.literal('')])
      .default('')
      .meta({
        flag: 'kube-api-burst',
        description: 'Burst of requests if kubeApiQps is set. Default: twice kubeApiQps.',
      }),
    logLevel: choice(['debug', 'info', 'warn', 'error'], 'info', {
      flag: 'log-level',
      description: 'Minimum level of log lines.',
    }),
    logFormat: choice(['json', 'text'], 'json', {
      flag: 'log-format',
      description: 'Format of log lines: JSON, or text for people.',
    }),
    shutdownTimeoutSeconds: wholeNumber([1, 3600], 25, {
      description: 'How long running reconciles may take to end. terminationGracePeriodSeconds of the pod is 10 seconds longer.',
    }),
    extraArgs: z.array(z.string()).default([]).describe('Further flags of the operator.'),
  }),

  shadow: group(
    "Shadow mode: beside another operator of the same jobs, the operator compares that operator's work with what it would do itself, and " +
      'writes nothing. Then it has no permission to write, and the release has no CRDs, no Lease, no alerts and no roles for users.',
    {
      enabled: onOff(false, { flag: 'shadow', description: 'Run in shadow mode. Read the result with muster shadow report.' }),
    },
  ),

  recording: group(
    'Recording of reconcile runs in files, for muster history, muster why --at and muster replay. Only the leader records. ' +
      'The records contain whole manifests and messages of programs, but no data of Secrets.',
    {
      enabled: onOff(false, { description: 'Record reconcile runs in a volume of the pod at /runs.' }),
      sizeMiB: wholeNumber([8, 1024 * 1024], 128, {
        description: 'Size limit of all files of the release in MiB. The oldest are deleted. The emptyDir is a quarter larger.',
      }),
      existingClaim: optionalName({
        description:
          'PersistentVolumeClaim for the files, so that they outlive the pod: with a quarter more than sizeMiB, and ReadWriteMany if ' +
          'pods of the release run on several nodes. Default: an emptyDir, which is lost with the pod.',
      }),
      environmentValues: onOff(false, {
        description:
          'Also record values of environment variables. By default they are replaced, as are values of options and fields that are ' +
          'named like a password or token.',
      }),
    },
  ),

  leaderElection: group('Leader election: of several replicas, only the one that holds the Lease reconciles. Another takes over when it is gone.', {
    enabled: onOff(true, {
      flag: 'leader-elect',
      description: 'Use leader election. Turn off only with one replica, which is then recreated on an upgrade.',
    }),
    namespace: optionalName({
      flag: 'leader-election-namespace',
      description: 'Namespace of the Lease. Default: that of the release.',
    }),
    id: optionalName({
      flag: 'leader-election-id',
      description: 'Name of the Lease. Default: derived from the framework and the namespaces.',
    }),
    leaseDuration: duration('15s', {
      flag: 'leader-election-lease-duration',
      description: 'How long other replicas wait before they take over from a leader that no longer renews the Lease.',
    }),
    renewDeadline: duration('10s', {
      flag: 'leader-election-renew-deadline',
      description: 'How long the leader tries to renew the Lease before it gives up.',
    }),
    retryPeriod: duration('2s', {
      flag: 'leader-election-retry-period',
      description: 'Time between attempts to acquire or renew the Lease.',
    }),
  }),

  gangScheduling: group('Gang scheduling: start all pods of a job together, or none. Permissions are granted for the chosen schedulers only.', {
    scheduler: choice(['', 'volcano', 'scheduler-plugins', 'kubernetes', 'yunikorn', 'kai-scheduler'], '', {
      description:
        'volcano, scheduler-plugins (a scheduler with the plugin Coscheduling), kubernetes (pod groups of Kubernetes), yunikorn, ' +
        'kai-scheduler, or none.',
    }),
    schedulerName: text('scheduler-plugins-scheduler', {
      description: 'Name of the scheduler for scheduler-plugins, as in spec.schedulerName of pods.',
    }),
    others: z
      .array(z.string().regex(/^[a-zA-Z0-9]([-.a-zA-Z0-9]{0,251}[a-zA-Z0-9])?$/))
      .default([])
      .meta({ uniqueItems: true })
      .describe(
        'Further gang schedulers that jobs may select by the annotation muster.dev/gang-scheduler or by schedulerName: volcano, ' +
          'kubernetes, yunikorn, kai-scheduler, or the name of a scheduler with the plugin Coscheduling.',
      ),
  }),

  rbac: group('Permissions, generated from those that the operator declares.', {
    create: onOff(true, {
      description: 'Create roles and role bindings. Without the permissions, the operator is not ready and reports the missing ones.',
    }),
    aggregateToDefaultRoles: onOff(true, {
      description:
        "Let the default roles admin and edit change this framework's kinds, and view read them. Creates ClusterRoles, " +
        'also with a smaller watch.scope.',
    }),
    findOtherOperators: onOff(true, {
      description:
        'Let the operator list Leases in all namespaces, to find other operators that run the same jobs. Creates a ClusterRole, ' +
        'also with a smaller watch.scope. Otherwise the operator finds only those with a Lease in the namespace of its own Lease.',
    }),
    extraRules: kubernetesList('Further rules for the role in which the operator has its permissions for jobs.'),
  }),

  serviceAccount: group('ServiceAccount of the operator.', {
    create: onOff(true, { description: 'Create the ServiceAccount.' }),
    name: optionalName({
      description: "Name of the ServiceAccount. Default: that of the release's objects, or default if it is not created.",
    }),
    annotations: textMap('Annotations of the ServiceAccount.'),
  }),

  crds: group("CRDs of this framework's kinds. They are upgraded with the release. helm uninstall keeps them, because deleting a CRD deletes its jobs.", {
    install: onOff(true, {
      description: 'Install the CRDs. Turn off for a second release in a cluster, or if they are installed otherwise.',
    }),
  }),
};

/** @param runsVolcanoJobs whether the framework has a plugin for Volcano Jobs */
export function operatorValues(runsVolcanoJobs: boolean): z.ZodRawShape {
  if (runsVolcanoJobs) return OPERATOR_VALUES;
  return { ...OPERATOR_VALUES, operator: OPERATOR_VALUES.operator.omit({ volcanoJobs: true }) };
}
