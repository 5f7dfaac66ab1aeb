/** The pages that users read instead of the generated reference list what the schemas have. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { CONDITION_TYPES } from './conditions.ts';
import { openApiSchemaOf, type OpenApiSchema } from './crd.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';
import { SCHEDULING_POLICY_FIELDS } from './run-policy.ts';

async function section(page: string, heading: string): Promise<string> {
  const text = await readFile(new URL(`../../../docs/users/${page}`, import.meta.url), 'utf8');
  const [, found] = text.split(`\n## ${heading}\n`);
  if (found === undefined) throw new Error(`${page} has no heading ${heading}`);
  return found.split('\n## ')[0]!;
}

/** The names in the first column of the tables, for example both of "| `a`, `b[role].c` |". */
function firstColumn(text: string): string[] {
  const cells = [...text.matchAll(/^\|([^|]*)\|/gm)].map(([, cell]) => cell!);
  return cells.flatMap((cell) => [...cell.matchAll(/`(\w+)/g)].map(([, name]) => name!));
}

function fieldsAt(...path: string[]): string[] {
  const schema = path.reduce<OpenApiSchema | undefined>(
    (at, name) => at?.properties?.[name],
    openApiSchemaOf(pytorchJobDefinition),
  );
  return Object.keys(schema?.properties ?? {});
}

const sorted = (names: Iterable<string>) => [...new Set(names)].toSorted();

describe('docs/users/run-policy.md', () => {
  it('lists every field of spec.runPolicy once in its table of fields', async () => {
    expect(firstColumn(await section('run-policy.md', 'Fields')).toSorted()).toEqual(
      fieldsAt('spec', 'runPolicy').toSorted(),
    );
  });

  it('lists every field of spec.runPolicy in its table of changes', async () => {
    const listed = firstColumn(await section('run-policy.md', 'Changes while the job runs'));
    expect(listed.toSorted()).toEqual(fieldsAt('spec', 'runPolicy').toSorted());
  });

  it('lists every field of spec.runPolicy in its table of other kinds', async () => {
    const listed = firstColumn(await section('run-policy.md', 'Other kinds'));
    expect(listed.toSorted()).toEqual(fieldsAt('spec', 'runPolicy').toSorted());
  });

  it('lists every field of schedulingPolicy', async () => {
    const listed = firstColumn(await section('run-policy.md', 'schedulingPolicy'));
    expect(listed.toSorted()).toEqual([...SCHEDULING_POLICY_FIELDS].toSorted());
  });
});

describe('docs/users/status.md', () => {
  it('lists every condition type once', async () => {
    expect(firstColumn(await section('status.md', 'Conditions')).toSorted()).toEqual([...CONDITION_TYPES].toSorted());
  });

  it('lists every field of the status, except the state and the conditions, which have tables of their own', async () => {
    const fields = fieldsAt('status').filter((name) => !['state', 'conditions', 'lastReconcileTime'].includes(name));
    expect(sorted(firstColumn(await section('status.md', 'Fields')))).toEqual(fields.toSorted());
  });
});
