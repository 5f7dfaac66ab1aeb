/**
 * Tests the shipped CRD on an API server: the manifests of a kind's table, changes of common fields, and the status of jobs
 * that were stored before the rules existed.
 */
import { randomUUID } from 'node:crypto';
import { eventually, installCrd, type TestCluster } from '@muster/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { crdFor } from '../src/crd.ts';
import type { CustomResourceDefinition, KubeObject, Resource } from '../src/kubernetes.ts';
import { CUSTOM_RESOURCE_DEFINITIONS } from '../src/resources.ts';
import type { AdmissionTable, Manifest } from '../test/admission-table.ts';

/** The fields of a job of any kind that are read here. */
interface AnyJob extends KubeObject {
  spec?: object;
}

/** The API server writes `spec.map[key]` for CEL rules, `spec.map.key` for the schema, and no path into metadata. */
function spellings(path: string): string[] {
  return path.startsWith('metadata') ? ['<nil>'] : [path, path.replaceAll(/\[([A-Za-z][-A-Za-z]*)\]/g, '.$1')];
}

/** API servers before 1.33 name the type of a value that breaks a rule, not the value. */
function wordings(message: string): string[] {
  return [message, message.replace(/Invalid value: ".*?":/, 'Invalid value: "string":')];
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
      async (_what, { manifest, path, message: expected }) => {
        const error = await client
          .create(jobs, placed(manifest, { namespace }), { dryRun: true })
          .catch((thrown: unknown) => thrown);
        expect(error).toMatchObject({ name: 'KubeError', code: 422, reason: 'Invalid' });
        const { message } = error as Error;
        expect(wordings(expected).filter((wording) => message.includes(wording))).not.toEqual([]);
        expect(spellings(path).filter((spelling) => message.includes(spelling))).not.toEqual([]);
      },
    );

    it.each(accepted.map((each) => [each.what, each] as const))('accepts %s', async (_what, { manifest }) => {
      await expect(client.create(jobs, placed(manifest, { namespace }), { dryRun: true })).resolves.toBeDefined();
    });

    it('adds the run policy, if the kind has one, and keeps everything else as written', async () => {
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

  it(`accepts status updates of a ${kind} that was stored before the rules`, async ({ onTestFinished, skip }) => {
    const { minor } = JSON.parse(await client.text('/version')) as { minor: string };
    skip(Number.parseInt(minor) < 33, 'API servers before 1.33 validate the spec again on each write of the status');
    const group = `g${randomUUID().slice(0, 8)}.muster.test`;
    const elsewhere: Resource<AnyJob> = { ...jobs, group };
    const crd = crdFor({ ...definition, resource: { ...definition.resource, group } });
    await installCrd(client, withoutRules(crd, version));
    onTestFinished(async () => {
      await client.delete(CUSTOM_RESOURCE_DEFINITIONS, { name: crd.metadata?.name ?? '' });
    });
    // Types were always checked, so an object with a wrong type cannot be stored.
    const storable = refused.filter(({ message }) => !message.startsWith('must be of type'));
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
      { describe: 'the rules apply' },
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

/** A CRD of the kind with one version and no rules. */
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
