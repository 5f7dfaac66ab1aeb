/** An image built by this package, on the node of all end-to-end tests. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { silentProgress } from '@muster/cluster';
import { type Pod, PODS } from '@muster/job-api';
import { eventually, testCluster } from '@muster/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { importImages } from './import-images.ts';
import { IMAGES } from './images.ts';
import type { ImageDefinition } from './image-definition.ts';

const cluster = await testCluster();
const containerdSocket = process.env.MUSTER_E2E_CONTAINERD_SOCKET ?? '';
let folder: string;
let namespace: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-tiny-image-'));
  namespace = await cluster.namespace();
});
afterAll(() => rm(folder, { recursive: true }));

function tinyImage(): ImageDefinition {
  return {
    name: 'tiny',
    version: 'test',
    parent: IMAGES.base,
    layer: { kind: 'files', files: { '/opt/greet': folder } },
    defaults: { entrypoint: ['/bin/sh', '/opt/greet/greet.sh'], command: [], user: '65532:65532' },
  };
}

/** The termination message of a pod of the image. */
async function lastWord(name: string, image: string): Promise<string> {
  const pod: Pod = {
    metadata: { name, namespace },
    spec: { restartPolicy: 'Never', containers: [{ name: 'main', image, imagePullPolicy: 'IfNotPresent' }] },
  };
  await cluster.client.create(PODS, pod);
  let seen: Pod | undefined;
  const ended = await eventually(
    async () => {
      seen = await cluster.client.get(PODS, { namespace, name });
      return seen.status?.containerStatuses?.[0]?.state?.terminated;
    },
    { withinMs: 120_000, describe: () => seen?.status },
  );
  return ended.message ?? '';
}

describe('an imported image', () => {
  it('runs in a pod that pulls nothing, and an edit runs in the next pod', async () => {
    const options = { containerdSocket, progress: silentProgress };
    await writeFile(join(folder, 'greet.sh'), 'echo "hello from $(id -u)" > /dev/termination-log\n');
    const [first] = await importImages([tinyImage()], options);
    expect(await lastWord('first', first?.reference ?? '')).toBe('hello from 65532\n');

    await writeFile(join(folder, 'greet.sh'), 'echo "hello again" > /dev/termination-log\n');
    const [second] = await importImages([tinyImage()], options);
    expect(second?.reference).toBe(first?.reference);
    expect(await lastWord('second', second?.reference ?? '')).toBe('hello again\n');
    expect(await lastWord('first-again', first?.references[1] ?? '')).toBe('hello from 65532\n');
  });
});
