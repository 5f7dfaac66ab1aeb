import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { crdFor } from './crd.ts';
import { crdYaml } from './crd-yaml.ts';
import { pytorchJobDefinition } from './pytorch-job.ts';

describe('crdYaml', () => {
  it('prints each CRD as one document', () => {
    const documents = parseAllDocuments(crdYaml(['pytorch-elastic'])).map((document) => document.toJS() as unknown);
    expect(documents).toEqual([crdFor(pytorchJobDefinition)]);
  });

  it('means the same to readers of YAML 1.1, as kubectl is one', () => {
    const documents = parseAllDocuments(crdYaml(), { version: '1.1' }).map((document) => document.toJS() as unknown);
    expect(documents).toEqual([crdFor(pytorchJobDefinition)]);
  });

  it('prints every framework when none is named, and each one once', () => {
    expect(crdYaml([])).toBe(crdYaml(['pytorch-elastic', 'pytorch-elastic']));
  });

  it('uses no anchors, which some readers of YAML lack', () => {
    expect(crdYaml()).not.toMatch(/: [&*][a-z]/);
  });

  it('names the frameworks there are when asked for another', () => {
    expect(() => crdYaml(['pytorch'])).toThrow('There is no framework "pytorch": choose from pytorch-elastic.');
  });
});
