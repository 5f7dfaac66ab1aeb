/**
 * etcd, kube-apiserver, kube-controller-manager and kube-scheduler on this machine. Everything listens on the loopback address; the API
 * server of a real node listens on this machine's end of the link. All of them require certificates.
 */
import { join } from 'node:path';
import { type AddressPlan, addressPlan } from '../address-plan.ts';
import type { ClusterState, ComponentRecord } from '../cluster-state.ts';
import { checkRunning, startComponent } from '../processes/component.ts';
import { waitUntil } from '../wait-until.ts';
import { auditArguments } from './audit-policy.ts';
import { ApiServerClient } from './api-server-client.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import { CertificateAuthority, type CertificateSubject, type KeyPair, writeServiceAccountKeys } from './pki.ts';

export interface ControlPlaneBinaries {
  etcd: string;
  apiServer: string;
  controllerManager: string;
  scheduler: string;
}

export interface ControlPlane {
  server: string;
  /** The administrator's kubeconfig. */
  kubeconfig: string;
  authority: CertificateAuthority;
  client: ApiServerClient;
  /** Issues a client certificate and writes a kubeconfig with it; returns the path. */
  kubeconfigFor(file: string, subject: CertificateSubject): Promise<string>;
}

interface Credentials {
  authority: CertificateAuthority;
  etcdAuthority: CertificateAuthority;
  frontProxyAuthority: CertificateAuthority;
  etcd: KeyPair;
  apiServer: KeyPair;
  etcdClient: KeyPair;
  kubeletClient: KeyPair;
  frontProxyClient: KeyPair;
  serviceAccount: { publicKey: string; privateKey: string };
}

/** Starts the control plane of the cluster; resolves when the API server is ready and the others run. */
export async function startControlPlane(
  state: ClusterState,
  folder: string,
  binaries: ControlPlaneBinaries,
  signal: AbortSignal | undefined,
): Promise<ControlPlane> {
  const plan = addressPlan(state.addressIndex);
  const address = listenAddress(state, plan);
  const credentials = await createCredentials(join(folder, 'pki'), [address, plan.apiServiceAddress]);
  const { authority } = credentials;
  const server = `https://${address}:${state.ports.apiServer}`;
  const target = { clusterName: state.name, server, authorityFile: authority.certificate };
  const kubeconfigFor = async (file: string, subject: CertificateSubject) =>
    writeKubeconfig(
      join(folder, file),
      target,
      await authority.issue(`client-${subject.commonName.replaceAll(':', '-')}`, subject),
    );

  const etcd = startComponent(state, {
    name: 'etcd',
    file: binaries.etcd,
    args: etcdArguments(state, folder, credentials),
  });
  const apiServer = startComponent(state, {
    name: 'kube-apiserver',
    file: binaries.apiServer,
    args: [
      ...apiServerArguments(state, plan, credentials),
      ...(state.auditedNamespace === undefined ? [] : auditArguments(folder, state.auditedNamespace)),
      ...state.apiServerArguments,
    ],
  });
  const kubeconfig = await kubeconfigFor('kubeconfig', { commonName: 'muster-admin', organization: 'system:masters' });
  const client = new ApiServerClient(kubeconfig);
  await waitForApiServer(client, [etcd, apiServer], signal);

  const controllers = await kubeconfigFor('controller-manager.kubeconfig', {
    commonName: 'system:kube-controller-manager',
  });
  const scheduler = await kubeconfigFor('scheduler.kubeconfig', { commonName: 'system:kube-scheduler' });
  startComponent(state, {
    name: 'kube-controller-manager',
    file: binaries.controllerManager,
    args: controllerManagerArguments(state, plan, credentials, controllers),
  });
  startComponent(state, {
    name: 'kube-scheduler',
    file: binaries.scheduler,
    args: schedulerArguments(state, scheduler),
  });
  return { server, kubeconfig, authority, client, kubeconfigFor };
}

/** Pods of a real node cannot reach this machine's loopback address, and no other client needs to reach the API server. */
function listenAddress(state: ClusterState, plan: AddressPlan): string {
  return state.node === 'real' ? plan.hostAddress : '127.0.0.1';
}

async function waitForApiServer(
  client: ApiServerClient,
  components: ComponentRecord[],
  signal: AbortSignal | undefined,
) {
  const missing = async () => {
    checkRunning(components);
    return (await client.isReady()) ? undefined : `${client.server}/readyz is not ok; see ${components[1]?.log}`;
  };
  await waitUntil(missing, { what: 'kube-apiserver to be ready', limitMs: 90_000, signal });
}

async function createCredentials(folder: string, addresses: readonly string[]): Promise<Credentials> {
  const serviceAccount = writeServiceAccountKeys(folder);
  const [authority, etcdAuthority, frontProxyAuthority] = await Promise.all([
    CertificateAuthority.create(folder, 'ca'),
    CertificateAuthority.create(folder, 'etcd-ca'),
    CertificateAuthority.create(folder, 'front-proxy-ca'),
  ]);
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  const [etcd, etcdClient, apiServer, kubeletClient, frontProxyClient] = await Promise.all([
    etcdAuthority.issue('etcd', { commonName: 'etcd', hosts: ['localhost', '127.0.0.1'] }),
    etcdAuthority.issue('etcd-client', { commonName: 'kube-apiserver' }),
    authority.issue('kube-apiserver', {
      commonName: 'kube-apiserver',
      hosts: [...service, 'localhost', '127.0.0.1', ...addresses],
    }),
    authority.issue('kubelet-client', { commonName: 'kube-apiserver-kubelet-client', organization: 'system:masters' }),
    frontProxyAuthority.issue('front-proxy-client', { commonName: 'front-proxy-client' }),
  ]);
  return {
    authority,
    etcdAuthority,
    frontProxyAuthority,
    etcd,
    etcdClient,
    apiServer,
    kubeletClient,
    frontProxyClient,
    serviceAccount,
  };
}

function etcdArguments(state: ClusterState, folder: string, { etcd, etcdAuthority }: Credentials): string[] {
  const client = `https://127.0.0.1:${state.ports.etcd}`;
  const peer = `https://127.0.0.1:${state.ports.etcdPeer}`;
  return [
    '--name=muster',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=muster=${peer}`,
    `--cert-file=${etcd.certificate}`,
    `--key-file=${etcd.key}`,
    '--client-cert-auth',
    `--trusted-ca-file=${etcdAuthority.certificate}`,
    `--peer-cert-file=${etcd.certificate}`,
    `--peer-key-file=${etcd.key}`,
    '--peer-client-cert-auth',
    `--peer-trusted-ca-file=${etcdAuthority.certificate}`,
    // The data is deleted with the cluster, so waiting for the disk would protect nothing.
    '--unsafe-no-fsync',
    '--quota-backend-bytes=8589934592',
    '--log-level=warn',
  ];
}

function apiServerArguments(state: ClusterState, plan: AddressPlan, credentials: Credentials): string[] {
  const { authority, etcdAuthority, etcdClient, apiServer, kubeletClient, frontProxyAuthority, frontProxyClient } =
    credentials;
  const address = listenAddress(state, plan);
  return [
    `--etcd-servers=https://127.0.0.1:${state.ports.etcd}`,
    `--etcd-cafile=${etcdAuthority.certificate}`,
    `--etcd-certfile=${etcdClient.certificate}`,
    `--etcd-keyfile=${etcdClient.key}`,
    `--bind-address=${address}`,
    `--advertise-address=${address}`,
    `--secure-port=${state.ports.apiServer}`,
    // Endpoints may not contain a loopback address, and simulated pods make no calls.
    ...(state.node === 'simulated' ? ['--endpoint-reconciler-type=none'] : []),
    `--tls-cert-file=${apiServer.certificate}`,
    `--tls-private-key-file=${apiServer.key}`,
    `--client-ca-file=${authority.certificate}`,
    '--authorization-mode=Node,RBAC',
    `--enable-admission-plugins=${['NodeRestriction', ...state.admissionPlugins].join(',')}`,
    ...featureGateArguments(state),
    ...(state.apiVersions.length === 0
      ? []
      : [`--runtime-config=${state.apiVersions.map((version) => `${version}=true`).join(',')}`]),
    '--allow-privileged=true',
    `--service-cluster-ip-range=${plan.serviceCidr}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-key-file=${credentials.serviceAccount.publicKey}`,
    `--service-account-signing-key-file=${credentials.serviceAccount.privateKey}`,
    '--kubelet-preferred-address-types=InternalIP',
    ...(state.node === 'real' ? [`--kubelet-certificate-authority=${authority.certificate}`] : []),
    `--kubelet-client-certificate=${kubeletClient.certificate}`,
    `--kubelet-client-key=${kubeletClient.key}`,
    '--enable-aggregator-routing=true',
    `--requestheader-client-ca-file=${frontProxyAuthority.certificate}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${frontProxyClient.certificate}`,
    `--proxy-client-key-file=${frontProxyClient.key}`,
  ];
}

/** The default limits (20 and 50 requests a second) would make the control plane the slowest part of every measurement. */
const CLIENT_LIMITS = ['--kube-api-qps=5000', '--kube-api-burst=10000'];

function featureGateArguments({ featureGates }: ClusterState): string[] {
  return featureGates.length === 0 ? [] : [`--feature-gates=${featureGates.map((gate) => `${gate}=true`).join(',')}`];
}

function kubeconfigArguments(kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    ...CLIENT_LIMITS,
  ];
}

function controllerManagerArguments(
  state: ClusterState,
  plan: AddressPlan,
  credentials: Credentials,
  kubeconfig: string,
): string[] {
  const { authority, serviceAccount } = credentials;
  return [
    ...kubeconfigArguments(kubeconfig),
    `--secure-port=${state.ports.controllerManager}`,
    `--service-account-private-key-file=${serviceAccount.privateKey}`,
    `--root-ca-file=${authority.certificate}`,
    `--cluster-signing-cert-file=${authority.certificate}`,
    `--cluster-signing-key-file=${authority.keyFile}`,
    '--use-service-account-credentials=true',
    ...featureGateArguments(state),
    // The whole range goes to the one node; its CNI configuration has the same range.
    ...(state.node === 'real'
      ? ['--allocate-node-cidrs=true', `--cluster-cidr=${plan.podCidr}`, '--node-cidr-mask-size=20']
      : [
          '--allocate-node-cidrs=false',
          // The controller deletes terminating pods without a node by name, which may by then be another pod's. In clusters where only
          // tests play the kubelet it has no other use: simulated nodes do not leave.
          '--controllers=*,-pod-garbage-collector-controller',
        ]),
    // Autoscaling decides within seconds here, not minutes, for interactive use.
    '--horizontal-pod-autoscaler-sync-period=5s',
    '--horizontal-pod-autoscaler-cpu-initialization-period=10s',
    '--horizontal-pod-autoscaler-initial-readiness-delay=5s',
  ];
}

function schedulerArguments(state: ClusterState, kubeconfig: string): string[] {
  return [...kubeconfigArguments(kubeconfig), ...featureGateArguments(state), `--secure-port=${state.ports.scheduler}`];
}
