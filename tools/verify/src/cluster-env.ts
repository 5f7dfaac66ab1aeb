/** Setup of each test file that uses a cluster: sets the environment by which tests and their programs find it. */
import { delimiter } from 'node:path';
import { inject } from 'vitest';

const { PATH_FIRST, ...env } = inject('clusterEnv');
Object.assign(process.env, env);
if (PATH_FIRST !== undefined && process.env.PATH?.startsWith(PATH_FIRST) !== true)
  process.env.PATH = `${PATH_FIRST}${delimiter}${process.env.PATH ?? ''}`;
