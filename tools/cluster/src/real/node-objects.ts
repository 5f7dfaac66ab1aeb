/** The Kubernetes objects of a real node: cluster DNS under its usual name, and storage without a provisioner. */
import { join } from 'node:path';
import type { AddressPlan } from '../address-plan.ts';

const STORAGE_CLASS = 'muster-local';
export const COREDNS_USER = 'muster:coredns';

const VOLUMES = 8;

export interface NodeObject {
  /** Path of the collection the object is created in. */
  collection: string;
  object: object;
}

/** CoreDNS runs as a process beside the pods: a Service without selector and an EndpointSlice point to it. */
export function desiredDnsObjects(plan: AddressPlan): NodeObject[] {
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP' },
    { name: 'dns-tcp', port: 53, protocol: 'TCP' },
  ];
  const metadata = { name: 'kube-dns', namespace: 'kube-system' };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { ...metadata, labels: { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' } },
    spec: { clusterIP: plan.dnsServiceAddress, ports: ports.map((port) => ({ ...port, targetPort: 53 })) },
  };
  const endpointSlice = {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kube-dns' } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [plan.nodeAddress], conditions: { ready: true } }],
    ports,
  };
  return [
    { collection: '/apis/rbac.authorization.k8s.io/v1/clusterroles', object: dnsRole },
    { collection: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', object: dnsRoleBinding },
    { collection: '/api/v1/namespaces/kube-system/services', object: service },
    { collection: '/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices', object: endpointSlice },
  ];
}

const dnsRole = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: COREDNS_USER },
  rules: [
    { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
    { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
  ],
};

const dnsRoleBinding = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: COREDNS_USER },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: COREDNS_USER },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: COREDNS_USER }],
};

/** The folders of the local volumes. */
export function volumeFolders(folder: string): string[] {
  return Array.from({ length: VOLUMES }, (_, index) => join(folder, 'volumes', `volume-${index}`));
}

/** A default StorageClass with a few volumes on this machine, for checkpoints. Their folders are removed with the cluster. */
export function desiredStorageObjects(folder: string, nodeName: string): NodeObject[] {
  const storageClass = {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: STORAGE_CLASS, annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'kubernetes.io/no-provisioner',
    volumeBindingMode: 'WaitForFirstConsumer',
    reclaimPolicy: 'Retain',
  };
  const onNode = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: [nodeName] }] };
  const volumes = volumeFolders(folder).map((path, index) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `${STORAGE_CLASS}-${index}` },
    spec: {
      storageClassName: STORAGE_CLASS,
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce', 'ReadWriteMany'],
      persistentVolumeReclaimPolicy: 'Retain',
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [onNode] } },
    },
  }));
  return [
    { collection: '/apis/storage.k8s.io/v1/storageclasses', object: storageClass },
    ...volumes.map((object) => ({ collection: '/api/v1/persistentvolumes', object })),
  ];
}
