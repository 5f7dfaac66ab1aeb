/** The configuration files of the programs inside a real node, as data. */
import { join } from 'node:path';
import type { AddressPlan } from '../address-plan.ts';
import { containerdSocket } from '../cluster.ts';
import type { KeyPair } from '../control-plane/pki.ts';

export const PAUSE_IMAGE = 'muster.dev/pause:1';
export const COREDNS_READY_PORT = 8181;
export const KUBE_PROXY_HEALTH_PORT = 10256;

/** containerd's configuration, in TOML. All of its state is below the state folder. */
export function containerdConfiguration(folder: string, cniFolder: string): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return [
    'version = 2',
    `root = ${quote(join(folder, 'containerd'))}`,
    `state = ${quote(join(folder, 'containerd-state'))}`,
    '[grpc]',
    `  address = ${quote(containerdSocket(folder))}`,
    '[plugins."io.containerd.internal.v1.opt"]',
    `  path = ${quote(join(folder, 'containerd-opt'))}`,
    `[${cri}]`,
    `  sandbox_image = ${quote(PAUSE_IMAGE)}`,
    // Without CAP_SYS_RESOURCE, which containers and some virtual machines lack, no sandbox would start.
    '  restrict_oom_score_adj = true',
    `[${cri}.cni]`,
    `  bin_dir = ${quote(cniFolder)}`,
    `  conf_dir = ${quote(join(folder, 'cni'))}`,
    `[${cri}.containerd]`,
    '  default_runtime_name = "runc"',
    `[${cri}.containerd.runtimes.runc]`,
    '  runtime_type = "io.containerd.runc.v2"',
    `[${cri}.containerd.runtimes.runc.options]`,
    '  SystemdCgroup = false',
    '',
  ].join('\n');
}

/** TOML's basic strings have the form of JSON's. */
function quote(text: string): string {
  return JSON.stringify(text);
}

/**
 * Point-to-point links instead of a bridge: the node routes every packet between pods, so Services work among pods without the bridge
 * netfilter module, and there is no bridge to clean up.
 */
export function cniConfiguration(folder: string, plan: AddressPlan): object {
  const ipam = {
    type: 'host-local',
    ranges: [[{ subnet: plan.podCidr }]],
    routes: [{ dst: '0.0.0.0/0' }],
    dataDir: join(folder, 'pod-addresses'),
  };
  return {
    cniVersion: '0.4.0',
    name: 'muster',
    plugins: [
      { type: 'ptp', ipMasq: false, ipam },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

export interface KubeletSource {
  folder: string;
  plan: AddressPlan;
  cgroup: string;
  /** The authority of clients that the kubelet trusts. */
  authorityFile: string;
  serving: KeyPair;
}

export function kubeletConfiguration({ folder, plan, cgroup, authorityFile, serving }: KubeletSource): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: authorityFile },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: serving.certificate,
    tlsPrivateKeyFile: serving.key,
    containerRuntimeEndpoint: `unix://${containerdSocket(folder)}`,
    // The resources of pods are counted and limited below one group, which identifies them on this machine.
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    failCgroupV1: false,
    failSwapOn: false,
    clusterDNS: [plan.dnsServiceAddress],
    clusterDomain: 'cluster.local',
    resolvConf: '/dev/null',
    podLogsDir: join(folder, 'pod-logs'),
    volumePluginDir: join(folder, 'kubelet-volume-plugins'),
    // Images are imported, not pulled: a collected image could not be restored.
    imageGCHighThresholdPercent: 100,
    evictionHard: { 'memory.available': '100Mi' },
    maxPods: 200,
    kubeAPIQPS: 200,
    kubeAPIBurst: 400,
    serializeImagePulls: false,
  };
}

/**
 * CoreDNS answers for the cluster, and NXDOMAIN for all other names, since there is no server to forward to. The zones are separate because
 * within one zone CoreDNS would use the template before the cluster.
 */
export function corefile(plan: AddressPlan, kubeconfig: string): string {
  return `cluster.local in-addr.arpa {
  bind ${plan.nodeAddress}
  errors
  ready ${plan.nodeAddress}:${COREDNS_READY_PORT}
  kubernetes {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 5
  }
  cache 5
}
. {
  bind ${plan.nodeAddress}
  template ANY ANY {
    rcode NXDOMAIN
  }
}
`;
}
