/** Warnings about valid settings that are probably mistakes. */
import { ownVariableWarnings, type Problem, type Replica } from '@muster/common-job-controller';
import type { PaddleJob } from '@muster/job-api';
import { paddleEnv } from './paddle-env.ts';
import { readPaddleJob } from './paddle-options.ts';

export function paddleWarnings(manifest: PaddleJob): Problem[] {
  const { roles, options } = readPaddleJob(manifest);
  const metadata = { name: '', namespace: '', uid: '', ...manifest.metadata };
  // A master in etcd is the way to use it.
  const envOf = (replica: Replica) =>
    paddleEnv({ metadata, roles, options }, replica).filter(
      ({ name }) => !options.usesEtcd || name !== 'PADDLE_MASTER',
    );
  const own = ownVariableWarnings(roles, 'paddleReplicaSpecs', envOf);
  const { elasticPolicy, usesEtcd } = options;
  if (elasticPolicy?.maxRestarts === undefined || usesEtcd) return own;
  const message =
    "is ignored: Paddle's launcher reads it only if PADDLE_MASTER names an etcd. Use spec.runPolicy.backoffLimit instead";
  return [...own, { path: 'spec.elasticPolicy.maxRestarts', message }];
}
