/** Compares this package with kubectl, which reads files without an API server. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { parseManifestStream, withoutBigInts, yamlText, type YamlObject, type YamlValue } from './index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { MUSTER_TEST_KUBECONFIG: kubeconfig = '' } = process.env;
// The kubectl of the test cluster, or else the one on the PATH.
const own = join(dirname(kubeconfig), 'bin/kubectl');
const folder = mkdtempSync(join(tmpdir(), 'muster-kubectl-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The objects of `files` as kubectl reads them, each with one added annotation. */
function asKubectl(files: readonly string[]): YamlValue[] {
  const args = ['annotate', '--local', '-o', 'json', ...files.flatMap((file) => ['-f', file]), 'read-by=kubectl'];
  const json = execFileSync(existsSync(own) ? own : 'kubectl', args, { maxBuffer: 2 ** 28, stdio: 'pipe' });
  return parseManifestStream(json).map(({ value }) => value);
}

function kubectlRefuses(text: string): boolean {
  try {
    asKubectl([written(text)]);
    return false;
  } catch {
    return true;
  }
}

function annotated(value: YamlValue): YamlValue {
  const { metadata, ...object } = value as YamlObject;
  const { annotations, ...rest } = metadata as YamlObject;
  return { ...object, metadata: { ...rest, annotations: { ...(annotations as YamlObject), 'read-by': 'kubectl' } } };
}

function written(text: string): string {
  const file = join(folder, 'objects.yaml');
  writeFileSync(file, text);
  return file;
}

const HEADER = 'apiVersion: example.com/v1\nkind: Values\nmetadata: {name: values}\n';

function isRefused(text: string): boolean {
  try {
    parseManifestStream(Buffer.from(text));
    return false;
  } catch {
    return true;
  }
}

const PIECES = [
  ...'0123456789_-+.:eExXoObBfF~<>=TZ ',
  ...[
    '0x',
    '0o',
    '0b',
    '1e',
    '00',
    '08',
    '.inf',
    '.nan',
    'yes',
    'No',
    'on',
    'OFF',
    'true',
    'null',
    '<<',
    '1:30',
    '2001-12-14',
  ],
  ...['9007199254740993', '9223372036854775807', '9223372036854775808', '18446744073709551615', '18446744073709551616'],
];
const TAGS = ['', '', '', '', '!!str ', '!!int ', '!!float ', '!!bool ', '!!null ', '!own ', '! '];
const scalar = fc
  .tuple(fc.constantFrom(...TAGS), fc.string({ unit: fc.constantFrom(...PIECES), minLength: 1, maxLength: 4 }))
  .map(([tag, text]) => `${tag}${text}`);

/** Written as escapes. */
const CONTROLS = ['\x1b', '\x9b', '\x85', '\r', '\x7f', '\u2028', '\u202e', '\ufeff'];

describe('YAML compared with kubectl', () => {
  it('reads every example as kubectl does', () => {
    const files = globSync('examples/**/*.yaml', { cwd: ROOT }).map((file) => join(ROOT, file));
    const ours = files.flatMap((file) => parseManifestStream(readFileSync(file)).map(({ value }) => value));
    expect(asKubectl(files)).toEqual(ours.map(annotated));
  });

  it('reads any scalar as kubectl does, as a value and as a key', () => {
    const values = fc.array(scalar, { minLength: 100, maxLength: 400 });
    fc.assert(
      fc.property(values, (texts) => {
        const read = texts.filter((text) => !isRefused(`- ${text}\n`)).map((text) => `- ${text}`);
        const keys = texts.map((text) => `- ${text}: 1`).filter((text) => !isRefused(text));
        const file = `${HEADER}values:\n${read.join('\n')}\nkeys:\n${keys.join('\n')}\n`;
        // kubectl writes large floating-point numbers like integers.
        expect(asKubectl([written(file)]).map(withoutBigInts)).toEqual(
          parseManifestStream(Buffer.from(file)).map(({ value }) => withoutBigInts(annotated(value))),
        );
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });

  it.each([
    'a: [9007199254740993, -9223372036854775808, 0x7fffffffffffffff, 9_007_199_254_740_993]\n',
    'a: 0400\na: yes\n',
    'a: {-0.0: -0.0}\nb: {-0: 1, -1_0.5: 2}\nc: {!!float -0: 1}\nd: {-1e-60: 1}\ne: {-.0: 1}\nf: {-0e1: 1}\n',
    'a: &a {x: 1, y: 2}\nb: {x: 0, <<: *a, y: 0}\nc: {<<: [*a, {x: 3, z: 4}]}\n',
    'a: &a {x: 1}\nb: &a {x: 2}\nc: [*a, *a]\n',
    'a: |+\n  x\n\nb: >-\n  one\n  two\n\n  three\nc: "x\\\n  y\\u00e9"\n',
    'a:\r\n  - x\r\n  - |\r\n    y\r\n',
    'a: 1\n...\nb: [\n',
    'a: !!binary aGVsbG8=\n',
  ])('reads the document %j as kubectl does', (text) => {
    expect(asKubectl([written(HEADER + text)])).toEqual(
      parseManifestStream(Buffer.from(HEADER + text)).map(({ value }) => annotated(value)),
    );
  });

  it.each([
    'a: .inf\n',
    '~: 1\n',
    '[a]: 1\n',
    'a: *b\n',
    'a: &a [*a]\n',
    '<<: 1\n',
    'a: !!int x\n',
    'a: b: c\n',
    '--- b\n',
  ])('refuses what kubectl refuses: %j', (text) => {
    expect(isRefused(HEADER + text)).toBe(true);
    expect(kubectlRefuses(HEADER + text)).toBe(true);
  });

  it('writes strings that kubectl reads back unchanged', () => {
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom(...PIECES, ...CONTROLS, '#', '"', "'", '{', '&', '\n', '\t'), maxLength: 5 }),
      {
        minLength: 100,
        maxLength: 400,
      },
    );
    fc.assert(
      fc.property(texts, (values) => {
        const header = { apiVersion: 'example.com/v1', kind: 'Values', metadata: { name: 'values' } };
        const object = { ...header, values, keys: Object.fromEntries(values.map((text) => [text, text])) };
        expect(asKubectl([written(yamlText(object))])).toEqual([annotated(object)]);
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
