/** Short forms for manifests of one kind of job. */
import type { Manifest } from './admission-table.ts';

export interface Kind {
  readonly kind: string;
  /** The field of the spec that holds the map of roles. */
  readonly field: string;
  /** Name of the main container. Default: the first container. */
  readonly container?: string;
  /** Another role of the kind than Worker, for start orders. Default: none, so that the kind has no start order. */
  readonly otherRole?: string;
  /** Default `kubeflow.org/v1`. */
  readonly apiVersion?: string;
  /** Other required roles than Worker, each in its smallest form. */
  readonly others?: readonly string[];
  /** Other fields of every spec of the kind. */
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
  /** A job with the role Worker. */
  const workers = (worker: object, rest: object = {}, name?: string) =>
    withRoles({ ...Object.fromEntries(others.map((other) => [other, role()])), Worker: worker }, rest, name);
  const runPolicy = (policy: object) => workers(role(), { runPolicy: policy });
  return { kind, field, container, otherRole, apiVersion, trainer, template, role, job, withRoles, workers, runPolicy };
}

export type KindManifests = ReturnType<typeof kindManifests>;
