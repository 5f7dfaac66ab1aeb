/**
 * A real node has its own process-id, mount and network namespaces, held by one first process. So the node's changes to interfaces,
 * iptables, mounts and kernel settings stay inside, several nodes do not see each other, and the kernel removes everything when the first
 * process is killed.
 *
 * Inside, a few folders are empty and private (see private-folders.ts), containerd's socket has a link where the kubelet's statistics look
 * for it, and the kernel settings that the kubelet changes are copies.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressPlan } from '../address-plan.ts';
import { containerdSocket, type NodePlace } from '../cluster.ts';
import { ClusterError } from '../cluster-error.ts';
import { type ClusterState, writeClusterState } from '../cluster-state.ts';
import { checkRunning, type ComponentCommand, startComponent } from '../processes/component.ts';
import { identifyProcess, type ProcessIdentity } from '../processes/process-identity.ts';
import { runCommand } from '../run-command.ts';
import { waitUntil } from '../wait-until.ts';
import { CGROUP_PREFIX, createControlGroup } from './control-group.ts';
import { makePrivateFolders, PRIVATE_FOLDERS } from './private-folders.ts';

const KUBELET_SETTINGS = [
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];

/** Runs as the node's first process. It reads its number outside from the outer /proc, before the inner one hides it. */
const FIRST_PROCESS = `
set -e
read -r pid rest < /proc/self/stat
mount -t proc proc /proc
for folder in ${PRIVATE_FOLDERS.join(' ')}; do mount -t tmpfs -o mode=755,nosuid,nodev muster "$folder"; done
mkdir /run/lock /run/settings /run/containerd
ln -s "$3" /run/containerd/containerd.sock
for setting in ${KUBELET_SETTINGS.join(' ')}; do
  [ -e "/proc/sys/$setting" ] || continue
  copy=/run/settings/$(echo "$setting" | tr / .)
  cat "/proc/sys/$setting" > "$copy"
  mount --bind "$copy" "/proc/sys/$setting"
done
mount --make-rshared /
ip link set lo up
echo 1 > /proc/sys/net/ipv4/ip_forward
echo "$pid" > "$2.new"
mv "$2.new" "$2"
exec "$1"
`;

/** Names that exist once per machine include a digest of the state folder: clusters of another cache may have the same name. */
export function machineWideNames(folder: string, clusterName: string): { interface: string; cgroup: string } {
  const digest = createHash('sha256').update(folder).digest('hex').slice(0, 8);
  return { interface: `muster${digest}`, cgroup: `${CGROUP_PREFIX}${clusterName}-${digest}` };
}

/** Throws a ClusterError for a state folder that a real node cannot use. */
export function checkStateFolder(folder: string): void {
  const hidden = PRIVATE_FOLDERS.find((one) => folder.startsWith(`${one}/`));
  if (hidden !== undefined)
    throw new ClusterError(`A real node mounts over ${hidden}: set MUSTER_CACHE to a folder elsewhere.`);
  // The longest socket path below it is the kubelet's; the kernel allows 107 bytes.
  const longest = join(folder, 'kubelet/device-plugins/kubelet.sock');
  if (Buffer.byteLength(longest) > 107) {
    throw new ClusterError(
      `The path ${folder} is too long for a real node's sockets: set MUSTER_CACHE to a shorter path.`,
    );
  }
}

/** Starts the node's first process and links the node to this machine. */
export async function startNodeNamespaces(
  state: ClusterState,
  { folder, plan, suffix }: NodePlace,
  pause: string,
  signal: AbortSignal | undefined,
): Promise<ProcessIdentity> {
  mkdirSync(folder, { recursive: true });
  // In this order: the group shows other processes that a real node exists and that the folders are in use.
  createControlGroup(machineWideNames(folder, state.name).cgroup);
  makePrivateFolders();
  const pidFile = join(folder, 'node.pid');
  rmSync(pidFile, { force: true });
  const namespaces = ['--fork', '--pid', '--mount', '--net', '--propagation=private', '--kill-child=SIGKILL'];
  const args = [...namespaces, 'sh', '-c', FIRST_PROCESS, 'muster-node', pause, pidFile, containerdSocket(folder)];
  const component = startComponent(state, { name: `node${suffix}`, file: 'unshare', args });
  const missing = () => {
    checkRunning([component]);
    return existsSync(pidFile) ? undefined : `the node's namespaces are not set up; see ${component.log}`;
  };
  await waitUntil(missing, { what: 'the node to start', limitMs: 15_000, intervalMs: 10, signal });
  const init = identifyProcess(Number(readFileSync(pidFile, 'utf8')));
  if (init === undefined) throw new ClusterError(`The node's first process ended at once; see ${component.log}.`);
  state.nodeInits.push(init);
  writeClusterState(state);
  await linkNode(machineWideNames(folder, state.name).interface, plan, init, suffix === '');
  return init;
}

/**
 * This machine has routes to pods and Services too, so that its programs can reach them. Connections to a Service that kube-proxy does not
 * know yet are refused: otherwise packets would circle between the two ends of the link, and the kernel would keep such a connection
 * hanging until its client gives up.
 */
async function linkNode(link: string, plan: AddressPlan, init: ProcessIdentity, isFirst: boolean): Promise<void> {
  const { hostAddress, nodeAddress, linkPrefix, podCidr, serviceCidr } = plan;
  const outside = [
    `link add ${link} type veth peer name eth0 netns ${init.pid}`,
    `address add ${hostAddress}/${linkPrefix} dev ${link}`,
    `link set ${link} up`,
    `route add ${podCidr} via ${nodeAddress} dev ${link}`,
    // Each node knows all Services: a route to one of them is enough for this machine.
    ...(isFirst ? [`route add ${serviceCidr} via ${nodeAddress} dev ${link}`] : []),
  ];
  const inside = [
    `address add ${nodeAddress}/${linkPrefix} dev eth0`,
    'link set eth0 up',
    `route add default via ${hostAddress}`,
  ];
  await runCommand('ip', ['-batch', '-'], { input: `${outside.join('\n')}\n` });
  const inNode = enter(init, ['--net', '--mount']);
  await runCommand('nsenter', [...inNode, 'ip', '-batch', '-'], { input: `${inside.join('\n')}\n` });
  await runCommand('nsenter', [...inNode, 'iptables', '-A', 'FORWARD', '-d', serviceCidr, '-j', 'REJECT']);
}

/**
 * A link from node to node, past this machine, which may not forward packets. Each node has a route over it to the other's pods, and to its
 * address, which may serve cluster DNS.
 */
export async function linkNodes(
  [one, other]: readonly [LinkedNode, LinkedNode],
  [oneEnd, otherEnd]: readonly [string, string],
): Promise<void> {
  const made = `link add peer0 netns ${one.init.pid} type veth peer name peer0 netns ${other.init.pid}`;
  await runCommand('ip', ['-batch', '-'], { input: `${made}\n` });
  const ends = [
    { at: one, own: oneEnd, to: other, via: otherEnd },
    { at: other, own: otherEnd, to: one, via: oneEnd },
  ];
  for (const { at, own, to, via } of ends) {
    const inside = [
      `address add ${own}/30 dev peer0`,
      'link set peer0 up',
      `route add ${to.plan.podCidr} via ${via} dev peer0`,
      `route add ${to.plan.nodeAddress} via ${via} dev peer0`,
    ];
    const inNode = enter(at.init, ['--net', '--mount']);
    await runCommand('nsenter', [...inNode, 'ip', '-batch', '-'], { input: `${inside.join('\n')}\n` });
  }
}

export interface LinkedNode {
  init: ProcessIdentity;
  plan: AddressPlan;
}

function enter(init: ProcessIdentity, namespaces: string[]): string[] {
  return [`--target=${init.pid}`, ...namespaces, '--'];
}

/** The command that runs a component inside the node. */
export function insideNode(init: ProcessIdentity, { name, file, args }: ComponentCommand): ComponentCommand {
  return { name, file: 'nsenter', args: [...enter(init, ['--pid', '--net', '--mount']), file, ...args] };
}
