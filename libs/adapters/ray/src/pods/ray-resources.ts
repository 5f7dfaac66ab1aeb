/**
 * Parameters of `ray start` for a node's size: a group's `resources`, or else the requests and limits of the Ray
 * container. Amounts are rounded up to integers, except in Ray's JSON of further resources.
 */
import { parseQuantity, type Container, type Quantity } from '@muster/job-api';
import type { ClusterModel } from '../model/ray-cluster-model.ts';
import { memoryFraction } from '../model/cluster-annotations.ts';

export type StartParams = Readonly<Record<string, string>>;

type Amounts = Readonly<Record<string, string>>;

/** Accelerators with a name in Ray, which are not GPUs. */
const ACCELERATORS: Amounts = { 'google.com/tpu': 'TPU', 'aws.amazon.com/neuroncore': 'neuron_cores' };

const NANOS = 1_000_000_000n;

/** From a group's own `resources`; admission refuses invalid amounts. */
export function groupResourceParams(resources: Amounts | undefined): StartParams {
  const params: Record<string, string> = {};
  const others: Record<string, number> = {};
  for (const [name, quantity] of quantities(resources)) {
    const parameter = parameterOf(name.toLowerCase());
    if (parameter === undefined) others[name] = asNumber(quantity);
    else params[parameter] ??= whole(quantity);
  }
  return Object.keys(others).length === 0 ? params : { ...params, resources: resourcesJson(others) };
}

/** Keeps given parameters. */
export function withContainerResources(
  params: StartParams,
  { resources }: Pick<Container, 'resources'>,
  cluster: ClusterModel,
): StartParams {
  const limits = quantities(resources?.limits).filter(isSome);
  const requests = new Map(quantities(resources?.requests).filter(isSome));
  const limited = new Map(limits);
  const cpu = limited.get('cpu') ?? requests.get('cpu');
  const memory = limited.get('memory');
  const gpu = limits.find(([name]) => isGpu(name))?.[1];
  return withAccelerator(
    {
      ...(cpu && { 'num-cpus': whole(cpu) }),
      ...(memory && { memory: fractionOf(memory, memoryFraction(cluster)) }),
      ...(gpu && { 'num-gpus': whole(gpu) }),
      ...params,
    },
    limits,
  );
}

/** `nvidia.com/gpu`, `amd.com/gpu`, and NVIDIA's GPU slices. */
export function isGpu(resource: string): boolean {
  return resource.endsWith('gpu') || resource.startsWith('nvidia.com/mig-');
}

/** Adds the first accelerator that is not a GPU, unless the user has one there or it is not JSON. */
function withAccelerator(params: StartParams, limits: readonly Amount[]): StartParams {
  const [name, amount] = limits.find(([resource]) => ACCELERATORS[resource] !== undefined) ?? [];
  const known = readResourcesJson(params['resources']);
  if (name === undefined || amount === undefined || known === undefined) return params;
  if (Object.values(ACCELERATORS).some((accelerator) => accelerator in known)) return params;
  return { ...params, resources: resourcesJson({ ...known, [ACCELERATORS[name] ?? name]: asNumber(amount) }) };
}

/** Undefined unless JSON with amounts. Users quote it for the shell. */
function readResourcesJson(text = '{}'): Record<string, number> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^['"` ]+|['"` ]+$/g, ''));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return Object.values(value).every((amount) => typeof amount === 'number')
      ? (value as Record<string, number>)
      : undefined;
  } catch {
    // Often a variable: `"$RESOURCES"`.
    return undefined;
  }
}

/** Quoted for the shell. */
function resourcesJson(amounts: Readonly<Record<string, number>>): string {
  const sorted = Object.fromEntries(Object.entries(amounts).sort(byName));
  return `'${JSON.stringify(sorted)}'`;
}

function parameterOf(resource: string): string | undefined {
  if (resource === 'cpu') return 'num-cpus';
  if (resource === 'memory') return 'memory';
  return isGpu(resource) ? 'num-gpus' : undefined;
}

type Amount = readonly [name: string, quantity: Quantity];

/** Sorted by name. A template may have null in place of a map. */
function quantities(amounts: Amounts | null | undefined): Amount[] {
  return Object.entries(amounts ?? {})
    .sort(byName)
    .flatMap(([name, text]) => {
      const quantity = parseQuantity(text);
      return quantity === undefined ? [] : [[name, quantity] as const];
    });
}

/** A limit of 0 is ignored; in a group's `resources` it keeps work off the node. */
function isSome([, { nanos }]: Amount): boolean {
  return nanos !== 0n;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function whole({ nanos }: Quantity): string {
  return String((nanos + NANOS - 1n) / NANOS);
}

function asNumber({ nanos }: Quantity): number {
  return Number(nanos) / Number(NANOS);
}

function fractionOf(quantity: Quantity, fraction: number): string {
  return fraction === 1 ? whole(quantity) : String(Math.floor(asNumber(quantity) * fraction));
}
