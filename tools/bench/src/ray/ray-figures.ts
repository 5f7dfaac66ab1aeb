/** Arithmetic of the figures of RayClusters. */

const PODS_PER_NODE = 110;
/** Pods of the other clusters that exist at the same time, and one more node so that the scheduler has a choice. */
const SPARE_NODES = 2;

/** The number of simulated nodes that hold `clusters` of two pods each. */
export function nodesFor(clusters: number): number {
  return Math.ceil((2 * clusters) / PODS_PER_NODE) + SPARE_NODES;
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** The number of each kind of request per cluster, to the hundredth. */
export function perCluster(counts: Readonly<Record<string, number>>, clusters: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number((count / clusters).toFixed(2))]));
}
