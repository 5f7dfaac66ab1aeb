/**
 * The programs of the local cluster, the exact Go module from which each is built, and the command that prints an installed copy's version.
 * Other tools may describe further programs in the same form for `ensureBinaries`.
 */
import { join } from 'node:path';
import { binariesFolder } from '../cache-folders.ts';
import type { ModuleReplacements } from './module-replacements.ts';
import {
  COREDNS_VERSION,
  ETCD_VERSION,
  HELM_VERSION,
  KUBERAY_VERSION,
  KUBERNETES_VERSION,
  KUEUE_VERSION,
  KWOK_VERSION,
  METRICS_SERVER_VERSION,
  MPI_OPERATOR_VERSION,
  SCHEDULER_PLUGINS_KUBERNETES,
  SCHEDULER_PLUGINS_VERSION,
  TRAINING_OPERATOR_VERSION,
  VOLCANO_APIS_VERSION,
  VOLCANO_KUBERNETES_MODULES,
  VOLCANO_VERSION,
} from './versions.ts';

/** A program that `go build` makes from one module of the Go module proxy. */
export interface BinarySource {
  name: string;
  module: string;
  /** `x.y.z`; an installed copy with the same x.y is used instead of a build. */
  version: string;
  /** The import path of the main package. */
  package: string;
  /** Arguments that make the program print its version. */
  versionArguments: readonly string[];
  /** Only if the module's own go.mod replaces other modules. */
  replacements?: ModuleReplacements;
}

const KUBERNETES_MODULE = 'k8s.io/kubernetes';

function kubernetesBinary(name: string, versionArguments: readonly string[] = ['--version']): BinarySource {
  const packagePath = `${KUBERNETES_MODULE}/cmd/${name}`;
  return { name, module: KUBERNETES_MODULE, version: KUBERNETES_VERSION, package: packagePath, versionArguments };
}

function volcanoBinary(name: string, command: string): BinarySource {
  return {
    name,
    module: 'volcano.sh/volcano',
    version: VOLCANO_VERSION,
    package: `volcano.sh/volcano/cmd/${command}`,
    versionArguments: ['--version'],
    replacements: {
      kubernetes: VOLCANO_KUBERNETES_MODULES,
      published: { 'volcano.sh/apis': VOLCANO_APIS_VERSION },
      leftOut: ['cloud.google.com/go', 'k8s.io/legacy-cloud-providers', 'k8s.io/node-api', 'k8s.io/sample-cli-plugin'],
    },
  };
}

export const BINARIES = {
  etcd: {
    name: 'etcd',
    module: 'go.etcd.io/etcd/server/v3',
    version: ETCD_VERSION,
    package: 'go.etcd.io/etcd/server/v3',
    versionArguments: ['--version'],
  },
  'kube-apiserver': kubernetesBinary('kube-apiserver'),
  'kube-controller-manager': kubernetesBinary('kube-controller-manager'),
  'kube-scheduler': kubernetesBinary('kube-scheduler'),
  kubectl: kubernetesBinary('kubectl', ['version', '--client']),
  kubelet: kubernetesBinary('kubelet'),
  'kube-proxy': kubernetesBinary('kube-proxy'),
  kwok: {
    name: 'kwok',
    module: 'sigs.k8s.io/kwok',
    version: KWOK_VERSION,
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    versionArguments: ['--version'],
  },
  coredns: {
    name: 'coredns',
    module: 'github.com/coredns/coredns',
    version: COREDNS_VERSION,
    package: 'github.com/coredns/coredns',
    versionArguments: ['-version'],
  },
  /** Installs the charts. No cluster needs it: it is built on request. */
  helm: {
    name: 'helm',
    module: 'helm.sh/helm/v4',
    version: HELM_VERSION,
    package: 'helm.sh/helm/v4/cmd/helm',
    versionArguments: ['version', '--template', '{{.Version}}'],
  },
  /** Reports the resource usage of pods to horizontal autoscalers. No cluster needs it: it is built on request. */
  'metrics-server': {
    name: 'metrics-server',
    module: 'sigs.k8s.io/metrics-server',
    version: METRICS_SERVER_VERSION,
    package: 'sigs.k8s.io/metrics-server/cmd/metrics-server',
    versionArguments: ['--version'],
  },
  /** Queues jobs. No cluster needs it: it is built on request. */
  kueue: {
    name: 'kueue',
    module: 'sigs.k8s.io/kueue',
    version: KUEUE_VERSION,
    package: 'sigs.k8s.io/kueue/cmd/kueue',
    versionArguments: ['--version'],
  },
  /** Kubeflow's operators and KubeRay. No cluster needs them: they are built on request. */
  'training-operator': {
    name: 'training-operator',
    module: 'github.com/kubeflow/training-operator',
    version: TRAINING_OPERATOR_VERSION,
    package: 'github.com/kubeflow/training-operator/cmd/training-operator.v1',
    versionArguments: ['--version'],
  },
  'mpi-operator': {
    name: 'mpi-operator',
    module: 'github.com/kubeflow/mpi-operator',
    version: MPI_OPERATOR_VERSION,
    package: 'github.com/kubeflow/mpi-operator/cmd/mpi-operator',
    versionArguments: ['--version'],
  },
  'kuberay-operator': {
    name: 'kuberay-operator',
    module: 'github.com/ray-project/kuberay/ray-operator',
    version: KUBERAY_VERSION,
    package: 'github.com/ray-project/kuberay/ray-operator',
    versionArguments: ['--version'],
  },
  /** Volcano. No cluster needs it: it is built on request. */
  'vc-scheduler': volcanoBinary('vc-scheduler', 'scheduler'),
  'vc-controller-manager': volcanoBinary('vc-controller-manager', 'controller-manager'),
  'vc-webhook-manager': volcanoBinary('vc-webhook-manager', 'webhook-manager'),
  /** The scheduler with the plugin Coscheduling. No cluster needs it: it is built on request. */
  'scheduler-plugins': {
    name: 'scheduler-plugins',
    module: 'sigs.k8s.io/scheduler-plugins',
    version: SCHEDULER_PLUGINS_VERSION,
    package: 'sigs.k8s.io/scheduler-plugins/cmd/scheduler',
    versionArguments: ['--version'],
    replacements: {
      kubernetes: SCHEDULER_PLUGINS_KUBERNETES.replace(/^1/, '0'),
      published: { [KUBERNETES_MODULE]: SCHEDULER_PLUGINS_KUBERNETES },
      leftOut: [KUBERNETES_MODULE, 'k8s.io/legacy-cloud-providers'],
    },
  },
} satisfies Record<string, BinarySource>;

export type BinaryName = keyof typeof BINARIES;

/** The program of a release of Kubernetes; a program of another project is the same in all releases. */
export function binaryOf(name: BinaryName, kubernetesVersion: string): BinarySource {
  const source: BinarySource = BINARIES[name];
  return isKubernetes(source) ? { ...source, version: kubernetesVersion } : source;
}

/**
 * The path of a built program. Kubernetes' programs are in a folder of their version. The others are beside those of the default version,
 * with their own version in their name, so that an upgrade is noticed.
 */
export function cachedFile(source: BinarySource): string {
  return isKubernetes(source)
    ? join(binariesFolder(source.version), source.name)
    : join(binariesFolder(), `${source.name}-${source.version}`);
}

export function isKubernetes(source: BinarySource): boolean {
  return source.module === KUBERNETES_MODULE;
}
