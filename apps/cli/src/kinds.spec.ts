import { newWorld, planJob } from '@muster/common-job-controller';
import { planned } from '@muster/common-job-controller/testing';
import { apiVersionOf, openApiSchemaOf } from '@muster/job-api';
import { expect, it } from 'vitest';
import { KINDS } from './kinds.ts';

it.each(KINDS.map((kind) => [kind.definition.resource.kind, kind] as const))(
  'the adapter of %s has hasBackoffLimit if its schema has runPolicy.backoffLimit',
  (_name, { definition, adapter }) => {
    const { runPolicy } = openApiSchemaOf(definition).properties?.spec?.properties ?? {};
    const { hasBackoffLimit = true } = adapter({ clusterDomain: 'cluster.local' }).lifecycle;
    expect(hasBackoffLimit).toBe(runPolicy?.properties?.['backoffLimit'] !== undefined);
  },
);

it.each(KINDS.map((kind) => [kind.definition.resource.kind, kind] as const))(
  'a %s that was stored without a spec fails with InvalidSpec',
  (kind, { definition, adapter: adapterOf }) => {
    const settings = { serviceMode: 'PerJob', clusterDomain: 'cluster.local' } as const;
    const adapter = adapterOf(settings);
    const { name } = adapter.finalize ?? {};
    const metadata = {
      name: 'mnist',
      namespace: 'team',
      uid: 'uid',
      generation: 1,
      ...(name && { finalizers: [name] }),
    };
    const manifest = { apiVersion: apiVersionOf(definition.resource), kind, metadata };
    expect(adapter.references?.of(manifest) ?? []).toEqual([]);
    expect(adapter.agingStates?.(manifest, [], { ownedResources: [], references: [] }) ?? []).toEqual([]);
    for (const gauge of adapter.gauges ?? []) expect(() => gauge.samples(manifest)).not.toThrow();
    const { status } = planned(planJob(adapter, newWorld(manifest, 0), settings));
    const failed = status?.conditions?.find(({ type }) => type === 'Failed');
    expect(failed?.reason).toBe('InvalidSpec');
    expect(failed?.message).toMatch(/^spec[.:]/);
  },
);
