/** The names of a framework in all places. */
import { names } from '@nx/devkit';

export interface FrameworkNames {
  /** On the command line, and of folders and of the training container: `xgboost`. */
  readonly name: string;
  /** `XGBoostJob` */
  readonly kind: string;
  /** In prose: `XGBoost` */
  readonly title: string;
  /** The field of the spec that holds the roles: `xgbReplicaSpecs` */
  readonly field: string;
  /** The kind in lower case, as kubectl takes it: `xgboostjob` */
  readonly singular: string;
  /** Begins the names of functions and values: `xgboost` */
  readonly camel: string;
  /** Begins the names of constants: `XGBOOST` */
  readonly constant: string;
}

export interface FrameworkOptions {
  readonly name: string;
  readonly kind?: string;
  readonly replicaSpecs?: string;
  readonly skipInstall?: boolean;
}

/** Kinds of kubeflow/training-operator v1.8 (pkg/apis/kubeflow.org/v1) whose names do not follow from the framework's. */
const UPSTREAM: Readonly<Record<string, { readonly kind: string; readonly field: string }>> = {
  xgboost: { kind: 'XGBoostJob', field: 'xgbReplicaSpecs' },
  jax: { kind: 'JAXJob', field: 'jaxReplicaSpecs' },
};

export function frameworkNames({ name, kind, replicaSpecs }: FrameworkOptions): FrameworkNames {
  const { className, propertyName, constantName } = names(name);
  const upstream = UPSTREAM[name];
  const ofKind = kind ?? upstream?.kind ?? `${className}Job`;
  return {
    name,
    kind: ofKind,
    title: ofKind.replace(/Job$/, ''),
    field: replicaSpecs ?? upstream?.field ?? `${propertyName}ReplicaSpecs`,
    singular: ofKind.toLowerCase(),
    camel: propertyName,
    constant: constantName,
  };
}
