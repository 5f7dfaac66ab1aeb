import { documented } from '@muster/common-job-controller';

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
