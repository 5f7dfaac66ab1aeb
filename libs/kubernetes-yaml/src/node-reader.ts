/** Reads a tree of YAML nodes: anchors, merge keys, tags and duplicate keys as in go-yaml v2. */
import { isUtf8 } from 'node:buffer';
import { isAlias, isMap, isScalar, isSeq, visit, type Alias, type ParsedNode, type Scalar, type YAMLMap } from 'yaml';
import { floatKey, isFloat, isInt64, resolvePlain, type Scalar as ScalarValue } from './scalar.ts';
import { YamlError, type YamlWarning } from './yaml-error.ts';
import type { YamlValue } from './yaml-value.ts';

const TAGS = 'tag:yaml.org,2002:';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Limits the share of nodes from aliases, so that a small text cannot become a huge value. */
const ALIASED = { share: 0.99, freeNodes: 1000, mostNodes: 400_000 };

type Entries = Map<string, YamlValue>;

export class NodeReader {
  readonly warnings: YamlWarning[] = [];
  readonly #text: string;
  readonly #lineAt: (offset: number) => number;
  readonly #targets: ReadonlyMap<Alias, ParsedNode>;
  readonly #open = new Set<Alias>();
  #nodes = 0;
  #aliased = 0;

  constructor(root: ParsedNode | null, text: string, lineAt: (offset: number) => number) {
    this.#text = text;
    this.#lineAt = lineAt;
    this.#targets = aliasTargets(root, (node, problem) => this.#error(node, problem));
  }

  read(node: ParsedNode | null): YamlValue {
    this.#count(node);
    if (node === null) return null;
    if (isAlias(node)) return this.#following(node, (target) => this.read(target));
    if (isMap(node)) {
      const entries: Entries = new Map();
      this.#readInto(entries, node);
      return Object.fromEntries(entries);
    }
    if (isSeq(node)) return node.items.map((item) => this.read(item));
    return this.#jsonScalar(node);
  }

  /** In the order of the file: a merge key overrides keys above it, and keys below override the merge key. */
  #readInto(entries: Entries, map: YAMLMap.Parsed): void {
    const own = new Set<string>();
    for (const { key, value } of map.items) {
      if (isMergeKey(key)) {
        this.#merge(entries, key, value, own);
        continue;
      }
      this.#refuseAmbiguousColon(key);
      const name = this.#key(key, map);
      if (own.has(name)) this.#warn(key, `the key ${JSON.stringify(name)} occurs twice: the last value is used`);
      own.add(name);
      entries.set(name, this.read(value));
    }
  }

  #merge(entries: Entries, key: ParsedNode | null, value: ParsedNode | null, own: ReadonlySet<string>): void {
    const merged: Entries = new Map();
    // The first of several maps takes precedence.
    for (const each of isSeq(value) ? value.items.toReversed() : [value]) {
      const node = each;
      const target = isAlias(node) ? this.#targets.get(node) : node;
      if (!isMap(target)) throw this.#error(key, 'the value of a merge key (<<) must be a map or a list of maps');
      this.#count(node);
      if (isAlias(node)) this.#following(node, () => this.#readInto(merged, target));
      else this.#readInto(merged, target);
    }
    for (const [name, each] of merged) {
      if (own.has(name)) this.#warn(key, `<< replaces the key ${JSON.stringify(name)} above it`);
      entries.set(name, each);
    }
  }

  #following<T>(alias: Alias.Parsed, read: (target: ParsedNode) => T): T {
    const target = this.#targets.get(alias);
    if (target === undefined) throw this.#error(alias, `there is no anchor &${alias.source} above`);
    if (this.#open.has(alias)) throw this.#error(alias, `the value of the anchor &${alias.source} contains itself`);
    this.#open.add(alias);
    const value = read(target);
    this.#open.delete(alias);
    return value;
  }

  #count(node: ParsedNode | null): void {
    this.#nodes++;
    if (this.#open.size === 0) return;
    this.#aliased++;
    const { share, freeNodes, mostNodes } = ALIASED;
    if ((this.#nodes > freeNodes && this.#aliased > this.#nodes * share) || this.#aliased > mostNodes)
      throw this.#error(node, 'too much of the document comes from aliases');
  }

  /** In `{a:, b: 1}`, the first key is `a:` in kubectl and `a` in YAML 1.2. */
  #refuseAmbiguousColon(key: ParsedNode | null): void {
    if (!isScalar(key) || key.type !== 'PLAIN') return;
    if (/^:[,[\]{}]/.test(this.#text.slice(key.range[1], key.range[1] + 2)))
      throw this.#error(key, `put a space after the colon of ${JSON.stringify(key.value)}`);
  }

  #key(key: ParsedNode | null, map: YAMLMap.Parsed): string {
    const node = isAlias(key) ? this.#following(key, (target) => target) : key;
    if (!isScalar(node)) throw this.#error(key ?? map, 'a key must be a scalar');
    const value = this.#scalar(node);
    if (value === null || (typeof value === 'bigint' && !isInt64(value)))
      throw this.#error(node, 'a key must be a string, a 64-bit number or a boolean: put it in quotes');
    if (typeof value !== 'number' || !isFloatNode(node)) return String(value);
    const { source = '' } = node;
    return floatKey(value === 0 && source.startsWith('-') && isFloat(source) ? -0 : value);
  }

  #jsonScalar(node: Scalar.Parsed): YamlValue {
    const value = this.#scalar(node);
    if (typeof value === 'number' && !Number.isFinite(value))
      throw this.#error(node, `${node.source} cannot be written as JSON: put it in quotes`);
    return typeof value === 'bigint' && !isInt64(value) ? Number(value) : value;
  }

  #scalar(node: Scalar.Parsed): ScalarValue {
    const text = String(node.value);
    const { tag } = node;
    if (tag === undefined) return node.type === 'PLAIN' ? resolvePlain(text) : text;
    if (!tag.startsWith(TAGS)) return text;
    const name = tag.slice(TAGS.length);
    if (name === 'binary') return this.#binary(node, text);
    const expected = TYPES[name];
    if (expected === undefined) return text;
    if (!expected(resolvePlain(text), text))
      throw this.#error(node, `${JSON.stringify(text)} is not a valid !!${name}`);
    return name === 'float' ? Number(resolvePlain(text)) : resolvePlain(text);
  }

  #binary(node: ParsedNode, text: string): string {
    const base64 = text.replaceAll(/[\r\n]/g, '');
    if (!BASE64.test(base64)) throw this.#error(node, 'a !!binary must be base64');
    const bytes = Buffer.from(base64, 'base64');
    if (!isUtf8(bytes)) throw this.#error(node, 'a !!binary must hold text: JSON has no bytes');
    return bytes.toString();
  }

  /** Warns once about a map that aliases repeat. */
  #warn(node: ParsedNode | null, problem: string): void {
    if (this.#open.size > 0) return;
    this.warnings.push({ line: this.#line(node), problem });
  }

  #error(node: ParsedNode | null, problem: string): YamlError {
    return new YamlError(this.#line(node), problem);
  }

  #line(node: ParsedNode | null): number {
    return this.#lineAt(node?.range[0] ?? 0);
  }
}

/** Tags whose scalars are not read as strings. */
const TYPES: Readonly<Record<string, (value: ScalarValue, text: string) => boolean>> = {
  bool: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  int: (value, text) => (typeof value === 'number' || typeof value === 'bigint') && !isFloat(text),
  float: (value) => typeof value === 'number' || (typeof value === 'bigint' && isInt64(value)),
};

function isFloatNode({ tag, source = '' }: Scalar): boolean {
  return tag === `${TAGS}float` || isFloat(source);
}

function isMergeKey(key: ParsedNode | null): boolean {
  if (!isScalar(key) || key.value !== '<<') return false;
  // go-yaml ignores the tag `!`.
  return key.tag === undefined ? key.type === 'PLAIN' : ['!', `${TAGS}merge`].includes(key.tag);
}

/** An anchor may be defined again: an alias refers to the last one above it. */
function aliasTargets(
  root: ParsedNode | null,
  error: (node: ParsedNode, problem: string) => YamlError,
): Map<Alias, ParsedNode> {
  const anchors = new Map<string, ParsedNode>();
  const targets = new Map<Alias, ParsedNode>();
  visit(root, {
    Node: (_key, node) => {
      const parsed = node as ParsedNode;
      if (isAlias(parsed)) {
        const target = anchors.get(parsed.source);
        if (target === undefined) throw error(parsed, `there is no anchor &${parsed.source} above`);
        targets.set(parsed, target);
      } else if (parsed.anchor !== undefined) anchors.set(parsed.anchor, parsed);
    },
  });
  return targets;
}
