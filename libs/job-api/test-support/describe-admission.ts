/**
 * What the API server says to the manifests of a kind's table, to changes of what every kind has, and to the status of jobs
 * that were stored before there were rules. The CRD is the one that is shipped.
 */
import { randomUUID } from 'node:crypto';
import { eventually, installCrd, type TestCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { crdFor } from '../src/crd.ts';
import type { CustomResourceDefinition, KubeObject, Resource } from '../src/kubernetes.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../src/resources.ts';
import type { AdmissionTable, Manifest } from '../test/admission-table.ts';

/** A job of any kind, as far as it is read here. */
interface AnyJob extends KubeObject {
  spec?: object;
}

/** The API server writes `spec.map[key]` for CEL rules, `spec.map.key` for the schema, and no path into metadata. */
function spellings(path: string): string[] {
  return path.startsWith('metadata') ? ['<nil>'] : [path, path.replaceAll(/\[([A-Za-z][-A-Za-z]*)\]/g, '.$1')];
}

/** API servers before 1.33 name the type of a value that breaks a rule, not the value. */
function wordings(says: string): string[] {
  return [says, says.replace(/Invalid value: ".*?":/, 'Invalid value: "string":')];
}

function placed(manifest: Manifest, metadata: object): AnyJob {
  return { ...manifest, metadata: { ...(manifest.metadata as object), ...metadata } };
}

export function describeAdmission(table: AdmissionTable, cluster: TestCluster): void {
  const { client } = cluster;
  const { definition, leastSpec, filledIn, refused, accepted, withUndescribedFields = (same) => same } = table;
  const { version = definition.resource.version, manager } = table;
  const jobs: Resource<AnyJob> = { ...definition.resource, version };
  const kind = table.version === undefined ? jobs.kind : `${jobs.kind} of ${version}`;
  let namespace = '';

  beforeAll(async () => {
    await installCrd(client, crdFor(definition));
    namespace = await cluster.namespace();
  });

  const created = (name: string, spec: object) => {
    const apiVersion = `${jobs.group}/${jobs.version}`;
    return client.create(jobs, { apiVersion, kind: jobs.kind, metadata: { name, namespace }, spec });
  };

  describe(`admission of a ${kind}`, () => {
    it.each(refused.map((each) => [each.what, each] as const))(
      'refuses %s, with path and remedy',
      async (_what, { manifest, path, says }) => {
        const error = await client
          .create(jobs, placed(manifest, { namespace }), { dryRun: true })
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'KubeError', code: 422, reason: 'Invalid' });
        const { message } = error as Error;
        expect(wordings(says).filter((wording) => message.includes(wording))).not.toEqual([]);
        expect(spellings(path).filter((spelling) => message.includes(spelling))).not.toEqual([]);
      },
    );

    it.each(accepted.map((each) => [each.what, each] as const))('accepts %s', async (_what, { manifest }) => {
      await expect(client.create(jobs, placed(manifest, { namespace }), { dryRun: true })).resolves.toBeDefined();
    });

    it('fills in the run policy, if there is one, and leaves everything else as written', async () => {
      const { spec } = await created('defaults', leastSpec);
      expect(spec).toEqual({
        ...leastSpec,
        ...filledIn,
        ...(manager === undefined && { runPolicy: { suspend: false } }),
      });
    });
  });

  describe(`changes to a ${kind}`, () => {
    const policy = (fields: object) => (manager === undefined ? { runPolicy: fields } : fields);
    const managedBy = manager === undefined ? 'spec.runPolicy.managedBy' : 'spec.managedBy';
    const refusal = new RegExp(`${managedBy.replaceAll('.', '[.]')}: Invalid value: ("object": )?field is immutable`);

    it.each([
      ['set later', undefined, 'kueue.x-k8s.io/multikueue'],
      ['changed', manager ?? 'kubeflow.org/training-operator', 'kueue.x-k8s.io/multikueue'],
      ['removed', 'kueue.x-k8s.io/multikueue', null],
    ])('refuses a managedBy that is %s', async (what, before, after) => {
      const name = `managed-${what.replaceAll(' ', '-')}`;
      await created(name, { ...leastSpec, ...policy({ ...(before && { managedBy: before }) }) });
      await expect(client.patch(jobs, { namespace, name }, { spec: policy({ managedBy: after }) })).rejects.toThrow(
        refusal,
      );
    });
  });

  it(`puts no new rule between the operator and the status of a ${kind} that was stored before`, async ({
    onTestFinished,
    skip,
  }) => {
    const { minor } = JSON.parse(await client.text('/version')) as { minor: string };
    skip(Number.parseInt(minor) < 33, 'API servers before 1.33 judge the spec anew with each write of the status');
    const group = `g${randomUUID().slice(0, 8)}.muster.test`;
    const elsewhere: Resource<AnyJob> = { ...jobs, group };
    const crd = crdFor({ ...definition, resource: { ...definition.resource, group } });
    await installCrd(client, withoutRules(crd, version));
    onTestFinished(async () => {
      await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' });
    });
    // Types were checked at all times, so what has a wrong one cannot have been stored.
    const storable = refused.filter(({ says }) => !says.startsWith('must be of type'));
    const old = storable.map(({ what, manifest }, index) => {
      const { name } = manifest.metadata as { name: string };
      const suffix = String(index);
      return { what, manifest, name: name.slice(0, -suffix.length) + suffix };
    });
    const apiVersion = `${group}/${jobs.version}`;
    await Promise.all(
      old.map(({ manifest, name }) =>
        client.create(elsewhere, placed({ ...withUndescribedFields(manifest), apiVersion }, { name, namespace })),
      ),
    );
    await installCrd(client, crd);
    const unruly = placed({ apiVersion, kind: jobs.kind, spec: {} }, { name: 'unruly', namespace });
    await eventually(
      () =>
        client.create(elsewhere, unruly, { dryRun: true }).then(
          () => false,
          () => true,
        ),
      { describe: 'the rules are in force' },
    );
    const stopped: string[] = [];
    for (const { what, name } of old) {
      await client
        .patchStatus(elsewhere, { namespace, name }, { status: { state: 'Failed', reason: 'Failed' } })
        .catch((error: unknown) => stopped.push(`${what}: ${String(error)}`));
    }
    expect(stopped).toEqual([]);
  });
}

/** The kind as it might be served, in one version, by a definition that lets everything pass. */
export function withoutRules(crd: CustomResourceDefinition, version: string): CustomResourceDefinition {
  const permissive = structuredClone(crd);
  permissive.spec.versions = permissive.spec.versions.filter(({ name }) => name === version);
  for (const only of permissive.spec.versions) {
    const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    only.schema = { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } };
    only.subresources = { status: {} };
    only.storage = true;
  }
  return permissive;
}
