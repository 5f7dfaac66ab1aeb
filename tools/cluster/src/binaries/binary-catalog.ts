/**
 * Which programs the embedded cluster consists of, the exact Go module each is built from, and how an installed copy is
 * asked for its version. Other tools may describe further programs the same way and pass them to `ensureBinaries`.
 */
import { COREDNS_VERSION, ETCD_VERSION, KUBERNETES_VERSION, KWOK_VERSION } from './versions.ts';

/** A program that `go build` makes from one module of the Go module proxy. */
export interface BinarySource {
  name: string;
  module: string;
  /** `x.y.z`; an installed copy with the same x.y is used instead of a build. */
  version: string;
  /** The import path of the main package. */
  package: string;
  /** What makes the program print its version. */
  versionArguments: readonly string[];
}

const KUBERNETES_MODULE = 'k8s.io/kubernetes';

function kubernetesBinary(name: string, versionArguments: readonly string[] = ['--version']): BinarySource {
  const packagePath = `${KUBERNETES_MODULE}/cmd/${name}`;
  return { name, module: KUBERNETES_MODULE, version: KUBERNETES_VERSION, package: packagePath, versionArguments };
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
} satisfies Record<string, BinarySource>;

export type BinaryName = keyof typeof BINARIES;

/** Kubernetes' programs live in a folder of their version already; the others carry theirs, so an upgrade is noticed. */
export function cachedFileName(source: BinarySource): string {
  return source.module === KUBERNETES_MODULE ? source.name : `${source.name}-${source.version}`;
}

export function isKubernetes(source: BinarySource): boolean {
  return source.module === KUBERNETES_MODULE;
}
