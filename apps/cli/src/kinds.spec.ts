import { openApiSchemaOf } from '@muster/job-api';
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
