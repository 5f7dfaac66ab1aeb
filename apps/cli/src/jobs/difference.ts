/**
 * Compares an object of a file with the one in the cluster. The API server adds defaults and other programs add labels, so
 * fields that the file omits may have any value. Data of ConfigMaps and Secrets must be the same. Pure.
 */
import { Buffer } from 'node:buffer';
import { parseQuantity, type KubeObject } from '@muster/job-api';

type Fields = Readonly<Record<string, unknown>>;

/** Maps without defaults: they must have the same keys. */
const DATA = ['data', 'binaryData'];

/** The API server stores these quantities in their canonical form. */
const QUANTITY = /[.](requests|limits|hard|capacity|sizeLimit)([.]|$)/;

/** Set by the API server, ignored at creation, or compared separately. */
const NOT_COMPARED = new Set([...DATA, 'apiVersion', 'kind', 'metadata', 'status', 'stringData']);

/** The path of the first difference, such as `data[train.py]`. Undefined if there is none. */
export function differenceOf(file: KubeObject, stored: KubeObject): string | undefined {
  const [wanted, there] = [file as Fields, stored as Fields];
  const { labels, annotations } = file.metadata ?? {};
  return (
    first(DATA, (field) => inData(field, dataOf(file, field), fieldsOf(there[field]))) ??
    inFields('metadata', { labels, annotations }, fieldsOf(stored.metadata)) ??
    first(
      Object.keys(wanted).filter((field) => !NOT_COMPARED.has(field)),
      (field) => inValue(field, wanted[field], there[field]),
    )
  );
}

/** `stringData` of a Secret is stored as data, and replaces data of the same key. */
function dataOf(file: KubeObject, field: string): Fields {
  const { [field]: data, stringData } = file as Fields;
  if (field !== 'data' || file.kind !== 'Secret') return fieldsOf(data);
  const encoded = Object.entries(fieldsOf(stringData)).map(([key, text]) => [key, base64(text)] as const);
  return { ...fieldsOf(data), ...Object.fromEntries(encoded) };
}

function base64(text: unknown): unknown {
  return typeof text === 'string' ? Buffer.from(text).toString('base64') : text;
}

function inData(path: string, wanted: Fields, there: Fields): string | undefined {
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(there)])];
  const other = keys.find((key) => wanted[key] !== there[key]);
  return other === undefined ? undefined : `${path}[${other}]`;
}

function inFields(path: string, wanted: Fields, there: Fields): string | undefined {
  return first(Object.keys(wanted), (key) => inValue(below(path, key), wanted[key], there[key]));
}

function inValue(path: string, wanted: unknown, there: unknown): string | undefined {
  if (isEmpty(wanted)) return undefined;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(there) || there.length !== wanted.length) return path;
    return first([...wanted.keys()], (at) => inValue(`${path}[${at}]`, wanted[at], there[at]));
  }
  if (typeof wanted === 'object') return isFields(there) ? inFields(path, wanted as Fields, there) : path;
  return wanted === there || (QUANTITY.test(path) && isSameQuantity(wanted, there)) ? undefined : path;
}

function isSameQuantity(wanted: unknown, there: unknown): boolean {
  const [one, other] = [wanted, there].map((value) => parseQuantity(String(value))?.nanos);
  return one !== undefined && one === other;
}

/** The API server does not store these. */
function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

function below(path: string, key: string): string {
  const isMap = /(^|[.])(labels|annotations)$/.test(path);
  return isMap ? `${path}[${key}]` : `${path}.${key}`;
}

function first<T>(all: readonly T[], differs: (each: T) => string | undefined): string | undefined {
  for (const each of all) {
    const path = differs(each);
    if (path !== undefined) return path;
  }
  return undefined;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}
