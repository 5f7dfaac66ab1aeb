/** Unlike Volcano's, the Service publishes pods that are not ready: training starts before. */
import { isDeepStrictEqual } from 'node:util';
import { mergePatch, type DesiredResource } from '@muster/common-job-controller';
import {
  NETWORK_POLICIES,
  replicaName,
  SERVICES,
  type EnvVar,
  type KubeObject,
  type NetworkPolicy,
  type Resource,
  type Service,
} from '@muster/job-api';
import { onOff, type Values } from '../arguments/flags.ts';
import { addressesOf } from '../model/hosts.ts';
import { VOLCANO_LABELS } from '../model/volcano-labels.ts';
import type { VolcanoTask, VolcanoTasks } from '../model/volcano-tasks.ts';
import { inOrder, withEnv, withVolume, type PodChange } from '../pods/pod-change.ts';

export const SVC_FLAGS = {
  'publish-not-ready-addresses': onOff(true, 'Whether DNS names resolve to pods that are not ready.'),
  'disable-network-policy': onOff(false, "Whether other pods than the Job's may connect to its pods."),
  'inject-hosts-env': onOff(true, 'Whether containers have the hosts in environment variables as well as in files.'),
};

type SvcValues = Values<typeof SVC_FLAGS>;

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const CONFIG_MAPS: Resource<ConfigMap> = {
  ...{ group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps', namespaced: true },
};

const FOLDER = '/etc/volcano';

export function svcPod(job: VolcanoTasks, { name }: VolcanoTask, index: number, values: SvcValues): PodChange {
  const config = configMapName(job);
  const named: PodChange = (spec) => ({
    ...spec,
    hostname: spec.hostname || replicaName(job.name, name, index),
    subdomain: spec.subdomain || job.name,
  });
  return inOrder([
    named,
    ...(values['inject-hosts-env'] ? [withEnv(hostVariables(job), 'all')] : []),
    withVolume({ name: config, configMap: { name: config } }, { mountPath: FOLDER }, 'all'),
  ]);
}

function hostVariables(job: VolcanoTasks): EnvVar[] {
  return job.tasks.flatMap(({ name }) =>
    ['HOSTS', 'NUM'].map((what) => {
      const key = `VC_${underscored(name).toUpperCase()}_${what}`;
      return { name: key, valueFrom: { configMapKeyRef: { name: configMapName(job), key } } };
    }),
  );
}

/** @param openPorts ports that accept connections from everywhere */
export function svcResources(
  job: VolcanoTasks,
  values: SvcValues,
  openPorts: readonly number[] = [],
): readonly DesiredResource[] {
  return [
    hostsConfig(job),
    service(job, values['publish-not-ready-addresses']),
    ...(values['disable-network-policy'] ? [] : [networkPolicy(job, openPorts)]),
  ];
}

function hostsConfig(job: VolcanoTasks): DesiredResource<ConfigMap> {
  return configMap(configMapName(job), hostFiles(job));
}

export function configMap(name: string, data: Readonly<Record<string, string>>): DesiredResource<ConfigMap> {
  return {
    resource: CONFIG_MAPS,
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
    change(existing) {
      const patch = mergePatch(existing.data ?? {}, data);
      return patch && { patch: { data: patch } };
    },
  };
}

function hostFiles(job: VolcanoTasks): Record<string, string> {
  const entries = job.tasks.flatMap((task): [string, string][] => {
    const hosts = addressesOf(job, task);
    const name = underscored(task.name);
    return [
      [`${name}.host`, hosts.join('\n')],
      [`VC_${name.toUpperCase()}_HOSTS`, hosts.join(',')],
      [`VC_${name.toUpperCase()}_NUM`, String(hosts.length)],
    ];
  });
  return Object.fromEntries(entries);
}

function service(job: VolcanoTasks, publishNotReadyAddresses: boolean): DesiredResource<Service> {
  const spec = { clusterIP: 'None', selector: podsOf(job), publishNotReadyAddresses };
  return {
    resource: SERVICES,
    object: { apiVersion: 'v1', kind: 'Service', metadata: { name: job.name }, spec },
    change({ spec: existing }) {
      const { selector, publishNotReadyAddresses: publishes = false } = existing ?? {};
      const isSame = isDeepStrictEqual(selector, spec.selector) && publishes === publishNotReadyAddresses;
      if (isSame) return undefined;
      return { patch: { spec: { selector: mergePatch(selector ?? {}, spec.selector), publishNotReadyAddresses } } };
    },
  };
}

function networkPolicy(job: VolcanoTasks, openPorts: readonly number[]): DesiredResource<NetworkPolicy> {
  const podSelector = { matchLabels: podsOf(job) };
  const forAll = { ports: openPorts.map((number) => ({ protocol: 'TCP', port: number })) };
  const ingress = [{ from: [{ podSelector }] }, ...(openPorts.length > 0 ? [forAll] : [])];
  const spec = { podSelector, policyTypes: ['Ingress'], ingress };
  return {
    resource: NETWORK_POLICIES,
    object: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: job.name }, spec },
    change: (existing) => (isDeepStrictEqual(existing.spec, spec) ? undefined : { patch: { spec } }),
  };
}

function podsOf({ name, namespace }: VolcanoTasks): Record<string, string> {
  return { [VOLCANO_LABELS.jobName]: name, [VOLCANO_LABELS.jobNamespace]: namespace };
}

function configMapName({ name }: VolcanoTasks): string {
  return `${name}-svc`;
}

function underscored(task: string): string {
  return task.replaceAll('-', '_');
}
