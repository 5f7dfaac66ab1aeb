import { CUSTOM_RESOURCE_DEFINITIONS, type CustomResourceDefinition, type Resource } from '@muster/job-api';
import { hasResource, type KubeClient } from '@muster/kube';
import { eventually } from './eventually.ts';

/** Installs or updates a CRD and waits until the server serves each version. */
export async function installCrd(client: KubeClient, crd: CustomResourceDefinition): Promise<void> {
  const name = crd.metadata?.name ?? '';
  await client.apply(CUSTOM_RESOURCE_DEFINITIONS, crd, { force: true });
  await eventually(
    async () => {
      const { status } = await client.get(CUSTOM_RESOURCE_DEFINITIONS, { name });
      return status?.conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True');
    },
    { withinMs: 30_000, describe: `CRD ${name} is Established` },
  );
  // The condition Established is set a moment before the server serves the resource.
  const { group, names, versions } = crd.spec;
  for (const version of versions.filter(({ served }) => served)) {
    const resource: Resource = {
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      namespaced: true,
    };
    await eventually(
      async () => {
        const served = await hasResource(client, group, version.name, names.plural);
        if (served) await client.list(resource, { pageSize: 1 });
        return served;
      },
      { withinMs: 30_000, describe: `${names.plural}.${version.name}.${group} is served` },
    );
  }
}
