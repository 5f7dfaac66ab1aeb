/** The environment of Paddle pods: the address that they connect to, the number of pods, and the pod's own rank. */
import { portOf, type Replica, type TrainingJob } from '@muster/common-job-controller';
import { replicaName, type EnvVar } from '@muster/job-api';
import { PADDLE_MAIN } from './paddle-main.ts';

type Job = Pick<TrainingJob, 'metadata' | 'roles'>;

/** The replica that others connect to: the master, or else worker 0. */
export function leader({ roles }: Pick<Job, 'roles'>): Replica | undefined {
  // Roles are in the order Master, Worker.
  const role = roles.find(({ replicas }) => replicas > 0);
  return role && { role, index: 0 };
}

export function paddleEnv(job: Job, { role, index }: Replica): EnvVar[] {
  const { metadata, roles } = job;
  const lead = leader(job);
  if (lead === undefined) return [];
  const size = roles.reduce((sum, { replicas }) => sum + replicas, 0);
  const rank = role === lead.role ? index : index + lead.role.replicas;
  return [
    { name: 'MASTER_PORT', value: String(portOf(lead.role, PADDLE_MAIN)) },
    { name: 'MASTER_ADDR', value: replicaName(metadata.name, lead.role.name, 0) },
    { name: 'WORLD_SIZE', value: String(size) },
    { name: 'RANK', value: String(rank) },
    { name: 'PYTHONUNBUFFERED', value: '1' },
  ];
}
