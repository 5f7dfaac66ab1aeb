/**
 * The manifests of `examples/pytorch-elastic/upstream-forms`, and what the operator would make of them. A manifest that
 * is put into that folder is a test case of both specs at once.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { newWorld, planJob } from '@muster/common-job-controller';
import {
  admitted,
  pytorchJobDefinition,
  type KubeObject,
  type ObjectMeta,
  type PyTorchJob,
  type ServiceMode,
} from '@muster/job-api';
import { parse } from 'yaml';
import { pytorchAdapter } from '../src/pytorch-adapter.ts';

const FOLDER = new URL('../../../../examples/pytorch-elastic/upstream-forms/', import.meta.url);

/** The manifests by the names of their files, as they are written. */
export const UPSTREAM_FORMS: ReadonlyMap<string, PyTorchJob> = new Map(
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .map((file) => [file.replace(/\.yaml$/, ''), parse(readFileSync(new URL(file, FOLDER), 'utf8')) as PyTorchJob]),
);

/** What a job gets that the API server has stored under this identity, in the order in which it is made. */
export function objectsOf(
  form: PyTorchJob,
  identity: Required<Pick<ObjectMeta, 'uid' | 'namespace'>>,
  serviceMode: ServiceMode,
): KubeObject[] {
  const stored = admitted(pytorchJobDefinition, form);
  const manifest = { ...stored, metadata: { ...stored.metadata, ...identity, generation: 1 } };
  const settings = { serviceMode, clusterDomain: 'cluster.local' };
  const { companions, create } = planJob(pytorchAdapter(), newWorld(manifest, 0), settings);
  return [...companions.create.map(({ object }) => object), ...create.services, ...create.pods];
}
