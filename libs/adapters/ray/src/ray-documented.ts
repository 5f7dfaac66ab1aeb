import { documented } from '@muster/shadow';

const onlyOurs = ({ theirs }: { readonly theirs: string }) => theirs === '';

/** Of pods and objects of a RayCluster. */
const OF_CLUSTERS = [
  documented(
    'ray',
    'label `app.kubernetes.io/managed-by`',
    /metadata\.labels\[app\.kubernetes\.io\/managed-by\]$/,
    onlyOurs,
  ),
  documented(
    'ray',
    "Muster's labels and annotations of pods",
    /^annotate Pod$|^Pod of .*: metadata\.(?:labels|annotations)\[(?:muster\.dev\/|ray\.io\/kuberay-version|ray\.io\/upgrade-strategy-recreate-hash)/,
  ),
  documented(
    'ray',
    "ports of the head's Ray container",
    /^Pod of headgroup: spec\.containers\[[^\]]*\]\.ports\[/,
    onlyOurs,
  ),
  documented('ray', 'open files of Ray', /\.args: statement 1$/, ({ theirs }) => theirs !== ''),
  documented(
    'ray',
    '`--redis-password` and `--redis-username` of the head',
    /: statement \d$/,
    (_difference, { spec }) => /"redis-?(?:password|username)"/i.test(JSON.stringify(spec)),
  ),
  documented('ray', 'the init container that waits for the head', /\.initContainers\[wait-gcs-ready\]\./),
  documented('rayservice', 'readiness of workers', /\.readinessProbe\.httpGet$/, onlyOurs),
  documented('ray', 'probes before Ray 2.53', /Probe\.exec\.command/),
  documented('ray', "variables with the operator's version", /\.env\[RAY_USAGE_STATS_EXTRA_TAGS\]\.value/),
  documented('ray', '`KUBERAY_GEN_AUTOSCALER_START_CMD`', /\.env\[KUBERAY_GEN_AUTOSCALER_START_CMD\]$/, onlyOurs),
  documented('ray', 'label `ray.io/worker-group-replica-name`', /\[ray\.io\/worker-group-replica-name\]$/),
  documented('ray', 'labels `ray.io/originated-from-*` of pods', /\[ray\.io\/originated-from-[^\]]*\]$/, onlyOurs),
  documented('ray', 'ports of a `headService`', /^Service: spec\.ports\[/),
  documented('ray', "selector of the head's Service", /^Service: spec\.selector\[/),
  documented('ray', "the autoscaler's Role", /^patch Role: /),
  documented('ray', 'labels of objects beside pods', /^patch \w+: metadata\.labels$/),
  documented('ray', "selector of the head's Service", /^patch Service: .*spec\.selector/),
  documented('ray', '`status.endpoints` of a head Service with node ports', /^status\.endpoints\./),
  documented('ray', 'messages of conditions', /^status\.conditions\[[^\]]*\]\.message$/),
  documented(
    'every-kind',
    'last log lines as termination message',
    /\.terminationMessagePolicy$/,
    ({ ours }) => ours === 'FallbackToLogsOnError',
  ),
];

export const RAY_CLUSTER_DIFFERENCES = OF_CLUSTERS;

export const RAY_JOB_DIFFERENCES = [
  documented('rayjob', '`status.observedGeneration`', /^status\.observedGeneration$/, onlyOurs),
  documented(
    'rayjob',
    '`status.jobStatus` while the dashboard cannot be reached',
    /^status\.jobStatus$/,
    ({ theirs, ours }) => theirs === 'Failure' && ours === '',
  ),
  documented('rayjob', '`status.rayClusterStatus`', /^status\.rayClusterStatus\./),
  ...OF_CLUSTERS,
];

export const RAY_SERVICE_DIFFERENCES = [
  documented('rayservice', 'an upgrade of the operator', /^patch RayCluster: metadata\.annotations$/),
  documented(
    'rayservice',
    '`rayClusterStatus` of both clusters',
    /^status\.(?:active|pending)ServiceStatus\.rayClusterStatus\./,
  ),
  ...OF_CLUSTERS,
];
