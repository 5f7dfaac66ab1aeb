import { openApiSchemaOf } from '@muster/job-api';
import { expect, it } from 'vitest';
import { KINDS } from './kinds.ts';

it.each(KINDS.map((kind) => [kind.definition.resource.kind, kind] as const))(
  '%s is said to have runPolicy.backoffLimit if its schema has it',
  (_name, { definition, adapter }) => {
    const { runPolicy } = openApiSchemaOf(definition).properties?.spec?.properties ?? {};
    const { hasBackoffLimit = true } = adapter({ clusterDomain: 'cluster.local' }).lifecycle;
    expect(hasBackoffLimit).toBe(runPolicy?.properties?.['backoffLimit'] !== undefined);
  },
);
