/** Set-up of each test file on a cluster: the environment by which tests and the programs they start find it. */
import { delimiter } from 'node:path';
import { inject } from 'vitest';

const { PATH_FIRST, ...env } = inject('clusterEnv');
Object.assign(process.env, env);
if (PATH_FIRST !== undefined && process.env.PATH?.startsWith(PATH_FIRST) !== true)
  process.env.PATH = `${PATH_FIRST}${delimiter}${process.env.PATH ?? ''}`;
