/**
 * The environment of XGBoost pods, in the order of Kubeflow's operator (kubeflow/training-operator, pkg/controller.v1/xgboost). XGBoost's
 * tracker listens at `MASTER_ADDR`; LightGBM needs the addresses of all pods, so workers are listed as well.
 */
import { portOf, type Replica, type TrainingJob } from '@muster/common-job-controller';
import { replicaName, type EnvVar } from '@muster/job-api';
import { XGBOOST_MAIN } from './xgboost-main.ts';

type Job = Pick<TrainingJob, 'metadata' | 'roles'>;

/** The replica that others connect to: the master. */
export function leader({ roles }: Pick<Job, 'roles'>): Replica | undefined {
  const role = roles.find(({ name, replicas }) => name === 'Master' && replicas > 0);
  return role && { role, index: 0 };
}

export function xgboostEnv(job: Job, { role, index }: Replica): EnvVar[] {
  const { metadata, roles } = job;
  const lead = leader(job);
  if (lead === undefined) return [];
  const worker = roles.find(({ name, replicas }) => name === 'Worker' && replicas > 0);
  const workers = worker?.replicas ?? 0;
  const rank = role === lead.role ? index : index + lead.role.replicas;
  return [
    { name: 'MASTER_PORT', value: String(portOf(lead.role, XGBOOST_MAIN)) },
    { name: 'MASTER_ADDR', value: replicaName(metadata.name, 'Master', 0) },
    { name: 'WORLD_SIZE', value: String(lead.role.replicas + workers) },
    { name: 'RANK', value: String(rank) },
    { name: 'PYTHONUNBUFFERED', value: '1' },
    ...(worker === undefined
      ? []
      : [
          { name: 'WORKER_PORT', value: String(portOf(worker, XGBOOST_MAIN)) },
          { name: 'WORKER_ADDRS', value: workerAddresses(metadata.name, workers) },
        ]),
  ];
}

function workerAddresses(job: string, workers: number): string {
  return Array.from({ length: workers }, (_worker, index) => replicaName(job, 'Worker', index)).join(',');
}
