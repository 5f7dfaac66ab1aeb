/** Arithmetic of the figures of RayClusters. */

const PODS_PER_NODE = 110;
/** Pods of the other clusters that are there at the same time, and one node's worth for the scheduler to choose from. */
const SPARE_NODES = 2;

/** How many simulated nodes hold `clusters` of two pods each. */
export function nodesFor(clusters: number): number {
  return Math.ceil((2 * clusters) / PODS_PER_NODE) + SPARE_NODES;
}

export function sum(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/** Of each kind of request, how many for each cluster, to the hundredth. */
export function perCluster(counts: Readonly<Record<string, number>>, clusters: number): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, Number((count / clusters).toFixed(2))]));
}
