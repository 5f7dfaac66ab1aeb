/** Formats of names in Kubernetes (k8s.io/apimachinery, pkg/util/validation). */
import { text, type Check } from './check.ts';

const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_OF_SERVICE = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9](-?[a-z0-9])*$/;
const VARIABLE = /^[ -<>-~]+$/;

const MAX_LABEL = 63;
const MAX_SUBDOMAIN = 253;
const MAX_PORT_NAME = 15;

const AT_ENDS = 'and begin and end with a letter or digit';

function isLabel(value: string): boolean {
  return value.length <= MAX_LABEL && LABEL.test(value);
}

export function isSubdomain(value: string): boolean {
  return value.length <= MAX_SUBDOMAIN && SUBDOMAIN.test(value);
}

export function isQualifiedName(value: string): boolean {
  const [first = '', second, ...more] = value.split('/');
  if (more.length > 0) return false;
  const isName = (name: string) => name.length <= MAX_LABEL && QUALIFIED.test(name);
  return second === undefined ? isName(first) : isSubdomain(first) && isName(second);
}

export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= MAX_LABEL && QUALIFIED.test(value));
}

export function isPortName(value: string): boolean {
  return value.length <= MAX_PORT_NAME && PORT_NAME.test(value);
}

export const SUBDOMAIN_MESSAGE = `must be at most ${MAX_SUBDOMAIN} lower-case letters, digits, "-" and ".", ${AT_ENDS}`;

export const QUALIFIED_MESSAGE =
  `must be at most ${MAX_LABEL} letters, digits, "-", "_" and ".", ${AT_ENDS}, ` +
  'optionally after a DNS name and "/", such as example.com/team';

export const LABEL_VALUE_MESSAGE = `must be empty, or at most ${MAX_LABEL} letters, digits, "-", "_" and ".", ${AT_ENDS}`;

export const label = text(isLabel, `must be at most ${MAX_LABEL} lower-case letters, digits and "-", ${AT_ENDS}`);

export const labelOfService = text(
  (value) => value.length <= MAX_LABEL && LABEL_OF_SERVICE.test(value),
  `must be at most ${MAX_LABEL} lower-case letters, digits and "-", begin with a letter, and end with a letter or digit`,
);

export const subdomain = text(isSubdomain, SUBDOMAIN_MESSAGE);

export const qualifiedName = text(isQualifiedName, QUALIFIED_MESSAGE);

export const labelValue = text(isLabelValue, LABEL_VALUE_MESSAGE);

export const portName = text(
  isPortName,
  `must be at most ${MAX_PORT_NAME} lower-case letters, digits and "-", with a letter`,
);

export const variableName: Check = text(
  (value) => VARIABLE.test(value),
  'must be printable ASCII characters without "="',
);
