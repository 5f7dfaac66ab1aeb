/**
 * The requests that the scheduler counts for a pod (kubernetes, k8s.io/component-helpers, resource/helpers.go). Invalid amounts are
 * ignored: the API server refuses the pod with a better message.
 */
import {
  addQuantities,
  parseQuantity,
  type Container,
  type PodSpec,
  type Quantity,
  type ResourceAmounts,
} from '@muster/job-api';

export type Requests = ReadonlyMap<string, Quantity>;

/** A field that the published types do not have yet. */
type PodLevelSpec = PodSpec & { resources?: { requests?: ResourceAmounts; limits?: ResourceAmounts } };

const NOTHING: Requests = new Map();

export function podRequests(spec: PodSpec): Requests {
  const containers = spec.containers.map(containerRequests).reduce(sumRequests, NOTHING);
  return sumRequests(withPodLevel(spec, withInitContainers(spec, containers)), readAmounts(spec.overhead));
}

export function sumRequests(one: Requests, other: Requests): Requests {
  return merged(one, other, addQuantities);
}

/** Init containers run one after another, each together with the sidecars started before it. */
function withInitContainers({ initContainers = [] }: PodSpec, containers: Requests): Requests {
  let sidecars = NOTHING;
  let worst = NOTHING;
  for (const container of initContainers) {
    const together = sumRequests(sidecars, containerRequests(container));
    if (container.restartPolicy === 'Always') sidecars = together;
    worst = greatest(worst, together);
  }
  return greatest(sumRequests(containers, sidecars), worst);
}

function containerRequests({ resources }: Container): Requests {
  return new Map([...readAmounts(resources?.limits), ...readAmounts(resources?.requests)]);
}

/** Pod-level resources exist only for CPU, memory and huge pages. */
function withPodLevel({ resources }: PodLevelSpec, containers: Requests): Requests {
  const isPodLevel = ([name]: readonly [string, Quantity]) =>
    name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
  const limits = [...readAmounts(resources?.limits)].filter(isPodLevel);
  const requests = [...readAmounts(resources?.requests)].filter(isPodLevel);
  return new Map([...limits, ...containers, ...requests]);
}

function greatest(one: Requests, other: Requests): Requests {
  return merged(one, other, (a, b) => (b.nanos > a.nanos ? b : a));
}

function merged(one: Requests, other: Requests, join: (a: Quantity, b: Quantity) => Quantity): Requests {
  const result = new Map(one);
  for (const [name, quantity] of other) {
    const before = result.get(name);
    result.set(name, before === undefined ? quantity : join(before, quantity));
  }
  return result;
}

/** Without invalid amounts. A template may have `null`, which the API server accepts. */
export function readAmounts(amounts: ResourceAmounts | null | undefined): Requests {
  return new Map(
    Object.entries(amounts ?? {}).flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      return quantity === undefined ? [] : [[name, quantity] as const];
    }),
  );
}
