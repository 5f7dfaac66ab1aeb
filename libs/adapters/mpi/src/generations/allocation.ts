/**
 * Distributes a v1alpha1 MPIJob over pods: by a total number of GPUs (or other processing units) and the number per
 * node, or by a number of replicas (kubeflow/mpi-operator v0.2: allocateProcessingUnits).
 */
import { parseQuantity, type PodTemplateSpec } from '@muster/job-api';

export interface AllocationSpec {
  readonly gpus?: number;
  readonly gpusPerNode?: number;
  readonly processingUnits?: number;
  readonly processingUnitsPerNode?: number;
  readonly processingResourceType?: string;
  readonly slotsPerWorker?: number;
  readonly replicas?: number;
  readonly template: PodTemplateSpec;
}

/** Defaults for fields that the manifest leaves out. */
export interface AllocationSettings {
  readonly gpusPerNode: number;
  readonly processingUnitsPerNode: number;
  /** For example `nvidia.com/gpu`. */
  readonly processingResourceType: string;
  /** The launcher runs processes, or only starts them in the workers. */
  readonly launcherComputes: boolean;
}

export interface Allocation {
  /** Worker pods, without a launcher that computes. */
  readonly workers: number;
  /** Units of each pod that computes; 0 if only the number of replicas is given. */
  readonly units: number;
  /** Processes per pod. */
  readonly slots: number;
  /** Limits of the main container in pods that compute; empty if the template has them. */
  readonly limits: Readonly<Record<string, string>>;
}

export interface AllocationProblem {
  readonly path: string;
  readonly message: string;
}

export type AllocationResult = Allocation | { readonly problem: AllocationProblem };

const WAYS = ['gpus', 'processingUnits', 'replicas'] as const;

export function allocate(spec: AllocationSpec, settings: AllocationSettings): AllocationResult {
  const [way, other] = WAYS.filter((name) => spec[name] !== undefined);
  if (way === undefined) return problem('spec', 'set one of gpus, processingUnits and replicas');
  if (other !== undefined) return problem(`spec.${other}`, `set either ${way} or ${other}, not both`);
  const spread = way === 'replicas' ? byReplicas(spec, settings) : byTotal(way, spec, settings);
  if ('problem' in spread) return spread;
  const { pods, units, limits } = spread;
  return {
    workers: settings.launcherComputes ? pods - 1 : pods,
    units,
    slots: spec.slotsPerWorker ?? Math.max(units, 1),
    limits,
  };
}

interface Spread {
  /** Pods that compute, with the launcher if it does. */
  readonly pods: number;
  readonly units: number;
  readonly limits: Readonly<Record<string, string>>;
}

type SpreadResult = Spread | { readonly problem: AllocationProblem };

function byReplicas(spec: AllocationSpec, settings: AllocationSettings): SpreadResult {
  const pods = spec.replicas ?? 0;
  if (pods < 1) return problem('spec.replicas', 'must be at least 1');
  return { pods, units: wholeUnits(spec, settings), limits: {} };
}

function byTotal(way: 'gpus' | 'processingUnits', spec: AllocationSpec, settings: AllocationSettings): SpreadResult {
  const total = spec[way] ?? 0;
  const perNode = spec[`${way}PerNode`] ?? settings[`${way}PerNode`];
  if (total < 1) return problem(`spec.${way}`, 'must be at least 1');
  if (perNode < 1) return problem(`spec.${way}PerNode`, 'must be at least 1');
  const units = Math.min(total, perNode);
  if (total % units !== 0) {
    const message = `${total} cannot be spread over nodes of ${perNode}: use a multiple of ${perNode}, or set ${way}PerNode`;
    return problem(`spec.${way}`, message);
  }
  return { pods: total / units, units, limits: { [resourceOf(spec, settings)]: String(units) } };
}

/** The limit of the first container. Less than a whole unit counts as 0: no process could use it. */
function wholeUnits(spec: AllocationSpec, settings: AllocationSettings): number {
  const limit = spec.template.spec?.containers[0]?.resources?.limits?.[resourceOf(spec, settings)];
  const { nanos } = (limit === undefined ? undefined : parseQuantity(limit)) ?? { nanos: 0n };
  return Number(nanos / 1_000_000_000n);
}

function resourceOf(spec: AllocationSpec, settings: AllocationSettings): string {
  const { processingResourceType: own = '' } = spec;
  return own === '' ? settings.processingResourceType : own;
}

function problem(path: string, message: string): { problem: AllocationProblem } {
  return { problem: { path, message } };
}
