/** For each field of an elastic policy, the variable and the option of torchrun. */
import type { PyTorchElasticPolicy } from '@muster/job-api';

export interface ElasticVariable {
  /** Undefined for fields of the operator. */
  readonly variable?: string;
  readonly option?: string;
  /** Description of the default. */
  readonly unset: string;
}

export const ELASTIC_VARIABLES = {
  minReplicas: {
    variable: 'PET_NNODES',
    option: '--nnodes',
    unset: 'maxReplicas, or else the initial number of workers',
  },
  maxReplicas: {
    variable: 'PET_NNODES',
    option: '--nnodes',
    unset: 'minReplicas, or else the initial number of workers',
  },
  rdzvBackend: { variable: 'PET_RDZV_BACKEND', option: '--rdzv-backend', unset: '`c10d`' },
  rdzvPort: {
    variable: 'PET_RDZV_ENDPOINT',
    option: '--rdzv-endpoint',
    unset: "the worker's port `pytorchjob-port`, which is 23456 by default",
  },
  rdzvHost: { variable: 'PET_RDZV_ENDPOINT', option: '--rdzv-endpoint', unset: '`<job>-worker-0`' },
  rdzvId: { variable: 'PET_RDZV_ID', option: '--rdzv-id', unset: "torchrun's: `none`" },
  rdzvConf: { variable: 'PET_RDZV_CONF', option: '--rdzv-conf', unset: "torchrun's: none" },
  standalone: { variable: 'PET_STANDALONE', option: '--standalone', unset: 'not standalone' },
  nProcPerNode: {
    variable: 'PET_NPROC_PER_NODE',
    option: '--nproc-per-node',
    unset: '`spec.nprocPerNode`, else `auto`',
  },
  maxRestarts: { variable: 'PET_MAX_RESTARTS', option: '--max-restarts', unset: "torchrun's: 0" },
  monitorInterval: {
    variable: 'PET_MONITOR_INTERVAL',
    option: '--monitor-interval',
    unset: "torchrun's: 0.1 in PyTorch 2.6",
  },
  startMethod: { variable: 'PET_START_METHOD', option: '--start-method', unset: "torchrun's: `spawn`" },
  fitToCapacity: { unset: 'pods wait for capacity' },
  metrics: { unset: 'no HorizontalPodAutoscaler' },
} as const satisfies Record<keyof PyTorchElasticPolicy, ElasticVariable>;
