/** What the demo can show, by the framework's name on the command line. */
import type { DemoFramework } from './demo-job.ts';
import { pytorchElastic } from './frameworks/pytorch-elastic.ts';

export const DEMO_FRAMEWORKS: Readonly<Record<string, DemoFramework>> = {
  [pytorchElastic.name]: pytorchElastic,
};
