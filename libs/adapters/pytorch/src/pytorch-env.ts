/**
 * The environment of PyTorch pods, in the order of Kubeflow's operator (kubeflow/training-operator,
 * pkg/controller.v1/pytorch/envvar.go and elastic.go).
 *
 * `torch.distributed` reads `MASTER_*`, `WORLD_SIZE` and `RANK` in a plain `python train.py`; the `PET_*` names are
 * torchrun's options. As upstream, `WORLD_SIZE` counts processes if `nprocPerNode` is a number, while `RANK` counts
 * pods. torchrun sets both for its processes.
 */
import { portOf, type Replica, type TrainingJob } from '@muster/common-job-controller';
import { replicaName, type EnvVar, type PyTorchElasticPolicy } from '@muster/job-api';
import { ELASTIC_VARIABLES } from './elastic-variables.ts';
import { PYTORCH_MAIN } from './pytorch-main.ts';
import type { PyTorchOptions } from './pytorch-options.ts';

type PyTorchTrainingJob = Pick<TrainingJob<PyTorchOptions>, 'metadata' | 'roles' | 'options'>;

export function pytorchEnv(job: PyTorchTrainingJob, replica: Replica): EnvVar[] {
  const { elasticPolicy, nprocPerNode } = job.options;
  return [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    ...(isStaticWorld(job) ? worldEnv(job, replica) : []),
    ...(elasticPolicy === undefined
      ? nodeVariables(String(totalReplicas(job)), nprocPerNode)
      : [...processVariables(nprocPerNode), ...elasticEnv(job, elasticPolicy)]),
  ];
}

/** The replica to which the others connect: the master, or else worker 0. */
export function leader(job: PyTorchTrainingJob): Replica | undefined {
  const [role] = job.roles.filter(({ replicas }) => replicas > 0);
  return role === undefined ? undefined : { role, index: 0 };
}

/**
 * The leader of a fixed world, or the host of an elastic job's rendezvous, if that is one of its pods. When its store
 * is lost, torchrun ends in all pods.
 */
export function isIndispensable(job: PyTorchTrainingJob, { role, index }: Replica): boolean {
  const lead = leader(job);
  const isLeader = isStaticWorld(job) && role === lead?.role && index === lead.index;
  const { elasticPolicy } = job.options;
  if (elasticPolicy === undefined || elasticPolicy.standalone === true) return isLeader;
  const [host] = rendezvousHost(job, elasticPolicy).split('.');
  return isLeader || host === replicaName(job.metadata.name, role.name, index);
}

/**
 * False for an elastic job without a master, which finds its world at rendezvous. A job without master and elastic
 * policy has a fixed world, led by worker 0; upstream sets no address for it.
 */
function isStaticWorld(job: PyTorchTrainingJob): boolean {
  return job.options.hasMaster || job.options.elasticPolicy === undefined;
}

function worldEnv(job: PyTorchTrainingJob, { role, index }: Replica): EnvVar[] {
  const lead = leader(job);
  if (lead === undefined) return [];
  return worldVariables({
    address: replicaName(job.metadata.name, lead.role.name, 0),
    port: portOf(lead.role, PYTORCH_MAIN),
    size: totalReplicas(job) * processesPerPod(job.options),
    rank: role === lead.role ? index : index + lead.role.replicas,
  });
}

export interface FixedWorld {
  readonly address: string;
  readonly port: number;
  readonly size: number;
  /** Undefined for a pod that is not part of the world. */
  readonly rank: number | undefined;
}

export function worldVariables({ address, port, size, rank }: FixedWorld): EnvVar[] {
  return [
    { name: 'MASTER_PORT', value: String(port) },
    { name: 'PET_MASTER_PORT', value: String(port) },
    { name: 'MASTER_ADDR', value: address },
    { name: 'PET_MASTER_ADDR', value: address },
    { name: 'WORLD_SIZE', value: String(size) },
    ...(rank === undefined ? [] : ['RANK', 'PET_NODE_RANK'].map((name) => ({ name, value: String(rank) }))),
  ];
}

export function nodeVariables(nodes: string, processesPerNode: string | undefined): EnvVar[] {
  return [...processVariables(processesPerNode), { name: 'PET_NNODES', value: nodes }];
}

function processVariables(perNode: string | undefined): EnvVar[] {
  return perNode === undefined ? [] : [{ name: 'PET_NPROC_PER_NODE', value: perNode }];
}

function elasticEnv(job: PyTorchTrainingJob, policy: NonNullable<PyTorchOptions['elasticPolicy']>): EnvVar[] {
  const { maxRestarts, monitorInterval, nProcPerNode, rdzvId, rdzvConf = [], standalone, startMethod } = policy;
  const worker = job.roles.find(({ name }) => name === 'Worker');
  const port = policy.rdzvPort ?? (worker ? portOf(worker, PYTORCH_MAIN) : PYTORCH_MAIN.port.number);
  const optional: (readonly [string, string | undefined])[] = [
    [ELASTIC_VARIABLES.maxRestarts.variable, maxRestarts?.toString()],
    [ELASTIC_VARIABLES.nProcPerNode.variable, nProcPerNode?.toString()],
    [ELASTIC_VARIABLES.rdzvId.variable, rdzvId],
    [ELASTIC_VARIABLES.rdzvConf.variable, rdzvConf.map(({ key, value }) => `${key}=${value}`).join(',') || undefined],
    // torchrun parses an integer here, and fails with upstream's empty string.
    [ELASTIC_VARIABLES.standalone.variable, standalone === true ? '1' : undefined],
    [ELASTIC_VARIABLES.monitorInterval.variable, monitorInterval?.toString()],
    [ELASTIC_VARIABLES.startMethod.variable, startMethod],
  ];
  return [
    { name: ELASTIC_VARIABLES.rdzvHost.variable, value: `${rendezvousHost(job, policy)}:${port}` },
    { name: ELASTIC_VARIABLES.rdzvBackend.variable, value: policy.rdzvBackend ?? 'c10d' },
    { name: ELASTIC_VARIABLES.minReplicas.variable, value: `${policy.minReplicas}:${policy.maxReplicas}` },
    ...optional.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }])),
    // Otherwise torchrun (tested: 2.6) uses a missing store for the new group when a worker joins later.
    { name: 'TORCH_DISABLE_SHARE_RDZV_TCP_STORE', value: '1' },
  ];
}

function rendezvousHost({ metadata }: PyTorchTrainingJob, { rdzvHost }: PyTorchElasticPolicy): string {
  return rdzvHost ?? replicaName(metadata.name, 'Worker', 0);
}

function totalReplicas(job: PyTorchTrainingJob): number {
  return job.roles.reduce((sum, { replicas }) => sum + replicas, 0);
}

function processesPerPod({ nprocPerNode }: PyTorchOptions): number {
  const processes = Number(nprocPerNode);
  return Number.isInteger(processes) && processes > 0 ? processes : 1;
}
