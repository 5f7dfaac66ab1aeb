/** Manifests of one kind of job, in few words. */
import type { Manifest } from './admission-table.ts';

export interface Kind {
  readonly kind: string;
  /** The field of the spec that holds the map of roles. */
  readonly field: string;
  /** The container that trains; without it, the first one, whatever its name. */
  readonly container?: string;
  /** A role that the kind has beside its workers: one that roles can wait for. */
  readonly otherRole: string;
  /** Default `kubeflow.org/v1`. */
  readonly apiVersion?: string;
  /** The roles that every job has besides the workers, each in its least form. */
  readonly others?: readonly string[];
  /** What every spec of the kind says besides. */
  readonly spec?: object;
}

export function kindManifests(named: Kind) {
  const { kind, field, container, otherRole, apiVersion = 'kubeflow.org/v1', others = [], spec: always } = named;
  const trainer = (fields: object = {}) => ({ name: container ?? 'main', image: 'example.com/train:1', ...fields });
  const template = (...containers: object[]) => ({
    spec: { containers: containers.length > 0 ? containers : [trainer()] },
  });
  const role = (fields: object = {}) => ({ template: template(), ...fields });
  const job = (spec: object, name = 'mnist'): Manifest => ({
    apiVersion,
    kind,
    metadata: { name },
    spec: { ...always, ...spec },
  });
  const withRoles = (roles: object, rest: object = {}, name?: string) => job({ [field]: roles, ...rest }, name);
  /** A job of workers that all look like `worker`. */
  const workers = (worker: object, rest: object = {}, name?: string) =>
    withRoles({ ...Object.fromEntries(others.map((other) => [other, role()])), Worker: worker }, rest, name);
  const runPolicy = (policy: object) => workers(role(), { runPolicy: policy });
  return { kind, field, container, otherRole, apiVersion, trainer, template, role, job, withRoles, workers, runPolicy };
}

export type KindManifests = ReturnType<typeof kindManifests>;
