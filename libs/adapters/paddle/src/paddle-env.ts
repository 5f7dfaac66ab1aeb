/**
 * The environment of Paddle pods, in the order of Kubeflow's operator (kubeflow/training-operator, pkg/controller.v1/paddlepaddle/envvar.go).
 * The variables are options of Paddle's launcher (`python -m paddle.distributed.launch`), which sets those of the program.
 */
import { portOf, type Replica, type TrainingJob } from '@muster/common-job-controller';
import { replicaName, type EnvVar } from '@muster/job-api';
import { PADDLE_MAIN } from './paddle-main.ts';
import type { PaddleOptions } from './paddle-options.ts';

type Job = Pick<TrainingJob<PaddleOptions>, 'metadata' | 'roles' | 'options'>;

/** The replica that others connect to: the master, or else worker 0. */
export function leader({ roles }: Pick<Job, 'roles'>): Replica | undefined {
  // Roles are in the order Master, Worker.
  const role = roles.find(({ replicas }) => replicas > 0);
  return role && { role, index: 0 };
}

export function paddleEnv(job: Job, replica: Replica): EnvVar[] {
  const lead = leader(job);
  if (lead === undefined) return [];
  const { metadata, options } = job;
  return [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: 'PADDLE_JOB_ID', value: metadata.name },
    { name: 'PADDLE_NNODES', value: nodes(job) },
    ...masterVariables(job, lead, replica),
    ...(options.hasMaster ? [processVariable(replica)] : []),
    ...elasticVariables(options),
  ];
}

/** The launcher reads a range only with etcd. Otherwise it would wait for the maximum. */
function nodes({ roles, options: { elasticPolicy, usesEtcd } }: Job): string {
  const others = roles.reduce((sum, { name, replicas }) => (name === 'Worker' ? sum : sum + replicas), 0);
  if (elasticPolicy !== undefined && usesEtcd) {
    return `${others + elasticPolicy.minReplicas}:${others + elasticPolicy.maxReplicas}`;
  }
  return String(roles.reduce((sum, { replicas }) => sum + replicas, 0));
}

/** The launcher starts the rendezvous server if the master's address is the IP address of its own pod: a name would not be recognized. */
function masterVariables({ metadata }: Job, lead: Replica, { role, index }: Replica): EnvVar[] {
  const port = portOf(lead.role, PADDLE_MAIN);
  if (role !== lead.role || index !== lead.index) {
    return [{ name: 'PADDLE_MASTER', value: `${replicaName(metadata.name, lead.role.name, lead.index)}:${port}` }];
  }
  return [
    { name: 'POD_IP_DUMMY', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: 'PADDLE_MASTER', value: `$(POD_IP_DUMMY):${port}` },
  ];
}

/** Selects the launcher's parameter server mode. */
function processVariable({ role }: Replica): EnvVar {
  return { name: role.name === 'Master' ? 'PADDLE_SERVER_NUM' : 'PADDLE_TRAINER_NUM', value: '1' };
}

/** With etcd. By default the launcher ends when the number of nodes changes; at level 1 it restarts its processes. */
function elasticVariables({ elasticPolicy, usesEtcd }: PaddleOptions): EnvVar[] {
  if (elasticPolicy === undefined || !usesEtcd) return [];
  const { maxRestarts } = elasticPolicy;
  return [
    { name: 'PADDLE_ELASTIC_LEVEL', value: '1' },
    ...(maxRestarts === undefined ? [] : [{ name: 'PADDLE_MAX_RESTART', value: String(maxRestarts) }]),
  ];
}
