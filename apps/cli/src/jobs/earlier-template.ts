/** Waiting pods that were created before their pod template was corrected. They keep their spec. Pure. */
import { formatQuantity, parseQuantity, type Container, type Pod, type PodSpec } from '@muster/job-api';

interface Trouble {
  readonly reason: string;
  readonly message: string;
  readonly container?: string | undefined;
  /** The pods of one role that do not start because of it. */
  readonly pods?: readonly Pod[] | undefined;
}

/**
 * Names the pods to delete, or is empty.
 *
 * @param template of the role, as the manifest has it now
 * @param generation of the manifest: admission may change pods of a manifest that was never edited
 */
export function adviceOnEarlierTemplate(template: PodSpec | undefined, trouble: Trouble, generation = 1): string[] {
  if (template === undefined || generation <= 1) return [];
  const outdated = (trouble.pods ?? []).flatMap(({ metadata, spec }) => {
    if (metadata?.name === undefined || spec === undefined) return [];
    const field = fieldOf(spec, trouble);
    if (field === undefined) return [];
    const [was, is] = [field.of(spec), field.of(template)];
    return was === is ? [] : [{ name: metadata.name, what: `${field.name} (${was ?? 'unset'})`, is }];
  });
  const [first] = outdated;
  if (first === undefined) return [];
  return [
    `Delete the pods: they have an earlier ${first.what}, and new pods get that of the manifest (${first.is ?? 'unset'})`,
    `kubectl delete pod ${outdated.map(({ name }) => name).join(' ')}`,
  ];
}

interface Field {
  readonly name: string;
  readonly of: (spec: PodSpec) => string | undefined;
}

/** The field that keeps pods with this spec from starting. */
function fieldOf(spec: PodSpec, { reason, message, container }: Trouble): Field | undefined {
  if (/Image|Registry/.test(reason)) return { name: 'image', of: (each) => containerIn(each, container)?.image };
  if (reason !== 'Unschedulable') return undefined;
  const lack = /Insufficient ([\w./-]*\w)/.exec(message)?.[1];
  if (lack !== undefined && amountOf(spec, lack) !== undefined)
    return { name: `resources.requests[${lack}]`, of: (each) => amountOf(each, lack) };
  if (message.includes('node affinity/selector')) return { name: 'nodeSelector', of: selectorOf };
  return undefined;
}

function containerIn({ containers, initContainers = [] }: PodSpec, wanted: string | undefined): Container | undefined {
  return wanted === undefined ? containers[0] : [...containers, ...initContainers].find(({ name }) => name === wanted);
}

/** Of the first container, in the canonical form: 1000m is 1. */
function amountOf({ containers: [first] }: PodSpec, resource: string): string | undefined {
  const { requests, limits } = first?.resources ?? {};
  const amount = requests?.[resource] ?? limits?.[resource];
  const quantity = amount === undefined ? undefined : parseQuantity(amount);
  return quantity === undefined ? undefined : formatQuantity(quantity);
}

function selectorOf({ nodeSelector = {} }: PodSpec): string | undefined {
  const labels = Object.entries(nodeSelector).map(([key, value]) => `${key}=${value}`);
  return labels.length === 0 ? undefined : labels.sort().join(',');
}
