import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { crdFor } from './crd.ts';
import { crdYaml, FRAMEWORKS } from './crd-yaml.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';

const NAMES = Object.keys(FRAMEWORKS);

describe('crdYaml', () => {
  it('prints each CRD as one document', async () => {
    const documents = parseAllDocuments(await crdYaml(['pytorch-elastic'])).map(
      (document) => document.toJS() as unknown,
    );
    expect(documents).toEqual([crdFor(pytorchJobDefinition)]);
  });

  it('reads the same in YAML 1.1 parsers such as kubectl', async () => {
    const documents = parseAllDocuments(await crdYaml(), { version: '1.1' }).map(
      (document) => document.toJS() as unknown,
    );
    expect(documents).toEqual(Object.values(FRAMEWORKS).flat().map(crdFor));
  });

  it('prints every framework by default, and each one once', async () => {
    expect(await crdYaml([])).toBe(await crdYaml([...NAMES, 'mpi']));
  });

  it('uses no anchors, which some YAML parsers do not support', async () => {
    expect(await crdYaml()).not.toMatch(/: [&*][a-z]/);
  });

  it('lists the known frameworks in the error about an unknown one', async () => {
    await expect(crdYaml(['pytorch'])).rejects.toThrow(
      `There is no framework "pytorch": choose from ${NAMES.join(', ')}.`,
    );
  });
});
