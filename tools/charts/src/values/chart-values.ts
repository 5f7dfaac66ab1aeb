/** All values of a framework's chart in one schema, the source of `values.schema.json`, `values.yaml` and the table in the README. */
import type { FrameworkName } from '@muster/job-api';
import * as z from 'zod';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';
import { accessValues } from './access-values.ts';
import { DEPLOYMENT_VALUES } from './deployment-values.ts';
import { FRAMEWORK_VALUES } from './framework-values.ts';
import { monitoringValues } from './monitoring-values.ts';
import { operatorValues } from './operator-values.ts';
import { tenancyValues } from './tenancy-values.ts';

/** The fields of a JSON Schema (draft 7) that are read here. */
export interface ValueSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ValueSchema[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: unknown;
  /** Flag of the operator that the value sets. */
  readonly flag?: string;
}

/** No value is required; all have defaults. */
export function chartValues(framework: FrameworkName): ValueSchema {
  const { image, ...deployment } = DEPLOYMENT_VALUES;
  return jsonSchema(
    z.strictObject({
      image,
      ...operatorValues(FRAMEWORK_CHARTS[framework].plugin !== undefined),
      ...FRAMEWORK_VALUES[framework],
      ...tenancyValues(FRAMEWORK_CHARTS[framework].adapters),
      ...deployment,
      ...accessValues(FRAMEWORK_CHARTS[framework].egress ?? []),
      ...monitoringValues(framework),
    }),
  );
}

function jsonSchema(schema: z.ZodType): ValueSchema {
  const made = z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    override: ({ jsonSchema }) => {
      delete jsonSchema.required;
    },
  });
  return made as ValueSchema;
}
