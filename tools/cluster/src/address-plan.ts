/**
 * Selects the ports and addresses of a cluster, so that several can run at once. Pure, except that the caller reports used ports. Ports are
 * below the range that systems use for outgoing connections (Linux: from 32768), so that no such connection can occupy one between this
 * check and the component's start.
 */
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ClusterError } from './cluster-error.ts';
import type { ClusterState } from './cluster-state.ts';

const FIRST_PORT = 21_000;
const LAST_PORT = 29_999;

export type Ports = ClusterState['ports'];

/** The lowest ports that no recorded cluster has and that `isFree` confirms. */
export async function pickPorts(
  taken: ReadonlySet<number>,
  isFree: (port: number) => Promise<boolean>,
): Promise<Ports> {
  let next = FIRST_PORT;
  const pick = async (): Promise<number> => {
    for (; next <= LAST_PORT; next++) if (!taken.has(next) && (await isFree(next))) return next++;
    throw new ClusterError(
      `All ports from ${FIRST_PORT} to ${LAST_PORT} are in use: stop other clusters or other programs that use them.`,
    );
  };
  return {
    etcd: await pick(),
    etcdPeer: await pick(),
    apiServer: await pick(),
    controllerManager: await pick(),
    scheduler: await pick(),
  };
}

/** Whether no process on this machine listens on the port, at any address. */
export function isPortFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** The addresses of one cluster. Real nodes route all of them; simulated ones only report them. */
export interface AddressPlan {
  /** This machine's end of the link to the real node; the API server listens here. */
  hostAddress: string;
  /** The real node's end of the link: its InternalIP. */
  nodeAddress: string;
  linkPrefix: number;
  podCidr: string;
  serviceCidr: string;
  /** The first service address, which Kubernetes gives to the service `kubernetes`. */
  apiServiceAddress: string;
  dnsServiceAddress: string;
}

/** A real cluster uses 4 link, 4096 pod and 4096 service addresses, so there is room for 16 of them. */
export const ADDRESS_PLANS = 16;

export function addressPlan(index: number): AddressPlan {
  const third = index * 16;
  return {
    hostAddress: `10.213.${index}.1`,
    nodeAddress: `10.213.${index}.2`,
    linkPrefix: 30,
    podCidr: `10.214.${third}.0/20`,
    serviceCidr: `10.215.${third}.0/20`,
    apiServiceAddress: `10.215.${third}.1`,
    dnsServiceAddress: `10.215.${third}.10`,
  };
}

/** The maximum number of real nodes of a cluster. */
export const MOST_REAL_NODES = 2;

/** The addresses of one of `nodes` real nodes: its own link to this machine, and its part of the pods' addresses. */
export function nodeAddressPlan(index: number, node: number, nodes: number): AddressPlan {
  const plan = addressPlan(index);
  if (nodes === 1) return plan;
  return {
    ...plan,
    hostAddress: `10.213.${index}.${4 * node + 1}`,
    nodeAddress: `10.213.${index}.${4 * node + 2}`,
    podCidr: `10.214.${index * 16 + node * 8}.0/21`,
  };
}

/** The two ends of the link between two real nodes, over which their pods reach one another. */
export function peerAddresses(index: number): readonly [string, string] {
  return [`10.213.${index}.9`, `10.213.${index}.10`];
}

/** The first slice that no recorded cluster has and that overlaps with no route of this machine. */
export function pickAddressIndex(taken: ReadonlySet<number>, routed: readonly string[]): number {
  for (let index = 0; index < ADDRESS_PLANS; index++) {
    const plan = addressPlan(index);
    const ours = [`10.213.${index}.0/28`, plan.podCidr, plan.serviceCidr];
    if (!taken.has(index) && !ours.some((cidr) => routed.some((other) => cidrsOverlap(cidr, other)))) return index;
  }
  throw new ClusterError(
    `No addresses are free for another real node (10.213.0.0/16 to 10.215.0.0/16): take one down with "muster cluster down --name <name>" first.`,
  );
}

/** Whether two IPv4 networks, each `a.b.c.d/prefix` (or a single address), share an address. */
export function cidrsOverlap(one: string, other: string): boolean {
  const [first, second] = [parseCidr(one), parseCidr(other)];
  const shared = 2 ** (32 - Math.min(first.prefix, second.prefix));
  return Math.floor(first.address / shared) === Math.floor(second.address / shared);
}

function parseCidr(cidr: string): { address: number; prefix: number } {
  const [address = '', prefix = '32'] = cidr.split('/');
  return { address: address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0), prefix: Number(prefix) };
}

/** The IPv4 networks this machine has an address in. */
export function interfaceNetworks(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.flatMap(({ family, cidr }) => (family === 'IPv4' && cidr !== null ? [cidr] : []));
}
