import { base } from './definitions/base.ts';
import { bookworm } from './definitions/bookworm.ts';
import { kubectlDelivery } from './definitions/kubectl-delivery.ts';
import { mpiBase } from './definitions/mpi-base.ts';
import { mpichExamples, openmpiExamples } from './definitions/mpi-examples.ts';
import { mpich } from './definitions/mpich.ts';
import { mxnetExamples } from './definitions/mxnet-examples.ts';
import { mxnet } from './definitions/mxnet.ts';
import { node } from './definitions/node.ts';
import { openmpi } from './definitions/openmpi.ts';
import { rayExamples } from './definitions/ray-examples.ts';
import { ray } from './definitions/ray.ts';
import { redis } from './definitions/redis.ts';
import { tensorflowExamples } from './definitions/tensorflow-examples.ts';
import { tensorflow } from './definitions/tensorflow.ts';
import { torchExamples } from './definitions/torch-examples.ts';
import { torchLauncherExamples } from './definitions/torch-launcher-examples.ts';
import { torchLaunchers } from './definitions/torch-launchers.ts';
import { torch } from './definitions/torch.ts';
import { xgboostExamples } from './definitions/xgboost-examples.ts';
import { xgboost } from './definitions/xgboost.ts';
import { jaxExamples } from './definitions/jax-examples.ts';
import { jax } from './definitions/jax.ts';
import { paddleExamples } from './definitions/paddle-examples.ts';
import { paddle } from './definitions/paddle.ts';
import type { ImageDefinition } from './image-definition.ts';

/** Images that need only this repository. Those of operators come from `operatorImage`. */
export const IMAGES = {
  base,
  bookworm,
  'kubectl-delivery': kubectlDelivery,
  'mpi-base': mpiBase,
  mpich,
  'mpich-examples': mpichExamples,
  mxnet,
  'mxnet-examples': mxnetExamples,
  node,
  openmpi,
  'openmpi-examples': openmpiExamples,
  ray,
  'ray-examples': rayExamples,
  redis,
  tensorflow,
  'tensorflow-examples': tensorflowExamples,
  torch,
  'torch-examples': torchExamples,
  'torch-launchers': torchLaunchers,
  'torch-launcher-examples': torchLauncherExamples,
  xgboost,
  'xgboost-examples': xgboostExamples,
  jax,
  'jax-examples': jaxExamples,
  paddle,
  'paddle-examples': paddleExamples,
} satisfies Record<string, ImageDefinition>;

export type ImageName = keyof typeof IMAGES;

/** The definition registered under `name`. Throws an error with the known names if there is none. */
export function findImage(name: string): ImageDefinition {
  const image = Object.entries(IMAGES).find(([known]) => known === name)?.[1];
  if (image === undefined) {
    throw new Error(`unknown image "${name}": choose from ${Object.keys(IMAGES).join(', ')}`);
  }
  return image;
}
