/** The frameworks of the demo, by their names on the command line. */
import type { DemoFramework } from './demo-job.ts';
import { mpi } from './frameworks/mpi.ts';
import { mxnet } from './frameworks/mxnet.ts';
import { pytorchElastic } from './frameworks/pytorch-elastic.ts';
import { ray } from './frameworks/ray.ts';
import { tensorflow } from './frameworks/tensorflow.ts';
import { paddle } from './frameworks/paddle.ts';
import { jax } from './frameworks/jax.ts';
import { xgboost } from './frameworks/xgboost.ts';

export const DEMO_FRAMEWORKS: Readonly<Record<string, DemoFramework>> = {
  [pytorchElastic.name]: pytorchElastic,
  [tensorflow.name]: tensorflow,
  [mpi.name]: mpi,
  [mxnet.name]: mxnet,
  [xgboost.name]: xgboost,
  [paddle.name]: paddle,
  [jax.name]: jax,
  [ray.name]: ray,
};

/** Others run only when named, so that the demo does not become longer with each framework. */
export const DEFAULT_FRAMEWORKS: readonly string[] = [pytorchElastic, tensorflow, mpi, mxnet, ray].map(
  ({ name }) => name,
);
