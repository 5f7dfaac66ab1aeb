/**
 * Builds the programs and images of a run's clusters while its first steps run: `node prepare.ts [node]`, with `node` for those of a real
 * node. A cluster that starts meanwhile waits for the same locks, and reports a failed build.
 */
import { ensureBinaries, terminalProgress } from '@muster/cluster';
import { buildImage } from '@muster/images';
import { E2E_IMAGES } from './e2e-images.ts';

const progress = terminalProgress();
const needsNode = process.argv.includes('node');

async function binaries(): Promise<void> {
  const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubectl'] as const;
  await ensureBinaries([...controlPlane, 'kwok', 'helm'], progress);
  if (needsNode) await ensureBinaries(['kubelet', 'kube-proxy', 'coredns'], progress);
}

async function images(): Promise<void> {
  if (!needsNode) return;
  for (const image of E2E_IMAGES) await buildImage(image, { progress });
}

await Promise.all([binaries(), images()]);
