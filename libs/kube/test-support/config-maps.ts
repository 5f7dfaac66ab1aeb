import type { KubeObject, Resource } from '@muster/job-api';

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export const CONFIG_MAPS: Resource<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};

/** Excludes the ConfigMap that Kubernetes creates in each namespace. */
export const OURS = 'app=spec';

export function configMap(namespace: string, name: string, data: Record<string, string> = {}): ConfigMap {
  return { metadata: { namespace, name, labels: { app: 'spec' } }, data };
}
