/** With a unique group, so that concurrent tests do not share the CRD. */
import { randomUUID } from 'node:crypto';
import { CUSTOM_RESOURCE_DEFINITIONS, type CustomResourceDefinition, type Resource } from '@muster/job-api';
import { installCrd, type TestCluster } from '@muster/testing';
import { onTestFinished } from 'vitest';
import type { JobManifest } from '../src/model/training-job.ts';
import { PLAIN_JOBS } from './plain-adapter.ts';

/** Deleted at the end of the test. */
export async function installPlainJobs({ client }: Pick<TestCluster, 'client'>): Promise<Resource<JobManifest>> {
  const resource = { ...PLAIN_JOBS, group: `plain-${randomUUID().slice(0, 8)}.muster.test` };
  const crd = plainJobCrd(resource);
  await installCrd(client, crd);
  onTestFinished(() => client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' }));
  return resource;
}

export function plainJobCrd({ group, version, kind, plural }: Resource): CustomResourceDefinition {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema, subresources: { status: {} } }],
    },
  };
}
