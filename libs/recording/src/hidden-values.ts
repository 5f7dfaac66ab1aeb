/**
 * Replaces what may be secret in a job and the objects around it: values of environment variables, of Ray's `env_vars`, of fields
 * and options that are named like a password or token, and kubectl's copy of the manifest. Values of variables, fields and options
 * with such a name are replaced wherever they occur, also in messages of programs.
 *
 * Equal values have equal markers within a process, and no marker can be traced to its value: the key of the digest is random and
 * never written. So planning compares hidden values as it compares the values.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { LAST_APPLIED, SECRET_MARKER } from './tagged-json.ts';

/** Variables whose values planning reads: those by which the processes of a job connect. None is secret. */
const READ_BY_PLANNING =
  /^(MASTER_ADDR|MASTER_PORT|WORLD_SIZE|RANK|LOCAL_RANK|NNODES|PET_\w+|PYTHONUNBUFFERED|RAY_enable_autoscaler_v2|PADDLE_MASTER)$/;

const SECRET_NAME = String.raw`(?:password|passwd|passphrase|token(?!iz|is|s\b)|secret|api[_-]?key|access[_-]?key|private[_-]?key|credential)`;

const IS_SECRET_NAME = new RegExp(SECRET_NAME, 'i');

/** `--api-token=x`, `--api-token x`, `API_TOKEN=x`, within a command. The second group is the value. */
const OPTION = new RegExp(
  String.raw`((?:--?[\w-]*?${SECRET_NAME}[\w-]*(?:=|\s+)|\b\w*?${SECRET_NAME}\w*=))("[^"]*"|'[^']*'|[^\s"';&|]+)`,
  'gi',
);

const OPTION_NAME = new RegExp(String.raw`^--?[\w-]*?${SECRET_NAME}[\w-]*$`, 'i');

/** The value of `env_vars` in YAML: a flow mapping, or indented lines. */
const YAML_VARIABLES = /(env_vars["']?\s*:)(\s*\{[^}]*\}|(?:[ \t]*\n[ \t]+[^\n]*)+)/g;

const YAML_VALUE = /([\w.-]+["']?\s*:[ \t]*)("[^"\n]*"|'[^'\n]*'|[^\s,}#][^\n,}]*)/g;

const COMMANDS: ReadonlySet<string> = new Set(['args', 'command', 'entrypoint']);

/** Fields that name an object or a key of it. */
const IS_REFERENCE = /(Name|Ref|Refs|KeyRef|Path|Mode|Version|Policy|Seconds|Projection)$/i;

/** Shorter values occur by chance in other texts. */
const SHORTEST_REPLACED = 6;

const MOST_KNOWN = 10_000;

export class HiddenValues {
  readonly #key = randomBytes(32);
  readonly #markers = new Map<string, string>();

  /** The same object if it has nothing to hide. */
  in<T>(value: T): T {
    const secrets = new Set<string>();
    const hidden = this.#in(value, '', secrets);
    const everywhere = [...secrets].filter((secret) => secret.length >= SHORTEST_REPLACED);
    if (everywhere.length === 0) return hidden as T;
    // The longest first: a value may contain another one.
    const ordered = everywhere.sort((a, b) => b.length - a.length);
    const replace = (text: string) =>
      ordered.reduce((all, each) => (all.includes(each) ? all.replaceAll(each, this.#marker(each)) : all), text);
    return mapped(hidden, (each) => (typeof each === 'string' ? replace(each) : undefined)) as T;
  }

  #in(value: unknown, key: string, secrets: Set<string>): unknown {
    return mapped(
      value,
      (each, name) => {
        if (typeof each === 'string') return this.#inText(each, name, secrets);
        if (typeof each !== 'object' || each === null) return undefined;
        if (Array.isArray(each)) {
          if (name === 'env') return each.map((variable) => this.#inVariable(variable, secrets));
          return COMMANDS.has(name) ? this.#inCommand(each, secrets) : undefined;
        }
        if (name === 'env_vars') return this.#allOf(each, secrets);
        // `redisPassword: {value: …}`
        const { value: inner } = each as { value?: unknown };
        if (typeof inner !== 'string' || isMarker(inner) || !isSecretField(name)) return undefined;
        return { ...each, value: this.#hide(inner, secrets) };
      },
      key,
    );
  }

  #inText(text: string, name: string, secrets: Set<string>): string {
    if (name === LAST_APPLIED) return SECRET_MARKER;
    if (name === 'runtimeEnvYAML') {
      return text.replaceAll(YAML_VARIABLES, (_all, begin: string, variables: string) => {
        const hidden = variables.replaceAll(YAML_VALUE, (_line, field: string, value: string) => {
          const bare = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value.trimEnd();
          return `${field}${JSON.stringify(this.#hide(bare, secrets))}`;
        });
        return `${begin}${hidden}`;
      });
    }
    if (COMMANDS.has(name)) return this.#inOptions(text, secrets);
    return isSecretField(name) ? this.#hide(text, secrets) : text;
  }

  #inVariable(variable: unknown, secrets: Set<string>): unknown {
    const { name, value } = Object(variable) as { name?: unknown; value?: unknown };
    if (typeof value !== 'string' || value === '' || READ_BY_PLANNING.test(String(name))) return variable;
    if (isMarker(value)) return variable;
    if (IS_SECRET_NAME.test(String(name))) secrets.add(value);
    return { ...(variable as object), value: this.#marker(value) };
  }

  #inCommand(words: readonly unknown[], secrets: Set<string>): unknown[] {
    return words.map((word, at) => {
      if (typeof word !== 'string') return word;
      const before = words[at - 1];
      const isValue = typeof before === 'string' && OPTION_NAME.test(before) && !word.startsWith('-');
      return isValue ? this.#hide(word, secrets) : this.#inOptions(word, secrets);
    });
  }

  #inOptions(text: string, secrets: Set<string>): string {
    return text.replaceAll(OPTION, (_all, option: string, value: string) => {
      // The value of the variable is not in the command.
      if (/^["']?\$/.test(value)) return `${option}${value}`;
      const bare = /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value;
      return `${option}${JSON.stringify(this.#hide(bare, secrets))}`;
    });
  }

  #allOf(variables: object, secrets: Set<string>): object {
    const hidden = Object.entries(variables).map(
      ([name, value]: [string, unknown]) =>
        [name, typeof value === 'string' ? this.#hide(value, secrets) : value] as const,
    );
    const isSame = hidden.every(([name, value]) => value === Reflect.get(variables, name));
    return isSame ? variables : Object.fromEntries(hidden);
  }

  /** Also wherever the value occurs elsewhere. */
  #hide(value: string, secrets: Set<string>): string {
    if (value === '' || isMarker(value)) return value;
    secrets.add(value);
    return this.#marker(value);
  }

  #marker(value: string): string {
    if (isMarker(value)) return value;
    const known = this.#markers.get(value);
    if (known !== undefined) return known;
    const digest = createHmac('sha256', this.#key).update(value).digest('hex').slice(0, 8);
    const marker = `(not recorded ${digest})`;
    if (this.#markers.size >= MOST_KNOWN) this.#markers.clear();
    this.#markers.set(value, marker);
    return marker;
  }
}

function isMarker(value: string): boolean {
  return /^\(not recorded( [0-9a-f]{8})?\)$/.test(value);
}

function isSecretField(name: string): boolean {
  return IS_SECRET_NAME.test(name) && !IS_REFERENCE.test(name);
}

/** A copy in which `change` has replaced parts, or the same object. Undefined: the part is kept, and its own parts are visited. */
function mapped(value: unknown, change: (value: unknown, name: string) => unknown, name = ''): unknown {
  const changed = change(value, name);
  const now = changed === undefined ? value : changed;
  if (typeof now !== 'object' || now === null) return now;
  if (Array.isArray(now)) {
    const items = now.map((item: unknown) => mapped(item, change));
    const before = value as readonly unknown[];
    return items.some((item, at) => item !== before[at]) ? items : before;
  }
  if (now instanceof Map) {
    const entries = [...now].map(([key, item]: [unknown, unknown]) => [key, mapped(item, change)] as const);
    return entries.some(([key, item]) => item !== now.get(key)) ? new Map(entries) : now;
  }
  if (now instanceof Set) return now;
  const entries = Object.entries(now).map(
    ([key, item]: [string, unknown]) => [key, mapped(item, change, key)] as const,
  );
  return entries.some(([key, item]) => item !== Reflect.get(now, key)) ? Object.fromEntries(entries) : now;
}
