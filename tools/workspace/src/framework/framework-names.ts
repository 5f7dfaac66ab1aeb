/** The names of a framework in all places, and what differs between kinds that are otherwise alike. */
import { names } from '@nx/devkit';

/** Whether a job has a Master, which then decides the outcome. Without one, all Workers have to succeed. */
export type MasterRule = 'required' | 'optional' | 'none';

interface Shape {
  readonly master: MasterRule;
  /** The default of a role. */
  readonly restartPolicy: 'Never' | 'OnFailure';
  readonly port: { readonly name: string; readonly number: number };
  /** Whether `kubectl scale` and autoscalers can change the number of workers. */
  readonly isScalable: boolean;
}

export interface FrameworkNames extends Shape {
  /** On the command line, and of folders and of the training container: `xgboost`. */
  readonly name: string;
  /** `XGBoostJob` */
  readonly kind: string;
  /** With its article: `an XGBoostJob` */
  readonly aKind: string;
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
  /** In the order of the status. */
  readonly roles: readonly string[];
  /** The role of the replica that others connect to, in the examples. */
  readonly leadingRole: string;
  /** Whether Kubeflow's training operator has the kind, and Kueue an integration for it. */
  readonly isUpstream: boolean;
}

export interface FrameworkOptions {
  readonly name: string;
  readonly kind?: string;
  readonly replicaSpecs?: string;
  readonly master?: MasterRule;
  readonly restartPolicy?: Shape['restartPolicy'];
  readonly port?: number;
  readonly portName?: string;
  readonly scale?: boolean;
  /** Packages of PyPI for the image of the examples. Default: no image. */
  readonly pip?: string;
  readonly skipInstall?: boolean;
}

interface UpstreamKind extends Shape {
  readonly kind: string;
  readonly field: string;
}

/** Kinds of Kubeflow's training operator 1.9 (pkg/apis/kubeflow.org/v1). */
const UPSTREAM: Readonly<Record<string, UpstreamKind>> = {
  xgboost: {
    ...{ kind: 'XGBoostJob', field: 'xgbReplicaSpecs' },
    ...{ master: 'required', restartPolicy: 'Never', isScalable: false },
    port: { name: 'xgboostjob-port', number: 9999 },
  },
  paddle: {
    ...{ kind: 'PaddleJob', field: 'paddleReplicaSpecs' },
    ...{ master: 'optional', restartPolicy: 'OnFailure', isScalable: true },
    port: { name: 'master', number: 36543 },
  },
  jax: {
    ...{ kind: 'JAXJob', field: 'jaxReplicaSpecs' },
    ...{ master: 'none', restartPolicy: 'Never', isScalable: true },
    port: { name: 'jaxjob-port', number: 6666 },
  },
};

export function frameworkNames(options: FrameworkOptions): FrameworkNames {
  const { name } = options;
  const { className, propertyName, constantName } = names(name);
  const upstream = UPSTREAM[name];
  const kind = options.kind ?? upstream?.kind ?? `${className}Job`;
  const singular = kind.toLowerCase();
  const master = options.master ?? upstream?.master ?? 'required';
  return {
    name,
    kind,
    aKind: `${/^([AEIO]|[FHLMNRSX][A-Z])/.test(kind) ? 'an' : 'a'} ${kind}`,
    title: kind.replace(/Job$/, ''),
    field: options.replicaSpecs ?? upstream?.field ?? `${propertyName}ReplicaSpecs`,
    singular,
    camel: propertyName,
    constant: constantName,
    master,
    roles: master === 'none' ? ['Worker'] : ['Master', 'Worker'],
    leadingRole: master === 'none' ? 'Worker' : 'Master',
    isUpstream: upstream !== undefined && upstream.kind === kind,
    restartPolicy: options.restartPolicy ?? upstream?.restartPolicy ?? 'Never',
    port: {
      name: options.portName ?? upstream?.port.name ?? `${singular}-port`,
      number: options.port ?? upstream?.port.number ?? 9999,
    },
    isScalable: options.scale ?? upstream?.isScalable ?? false,
  };
}
