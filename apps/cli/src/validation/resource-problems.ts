/** The API server's rules about resource requests and limits. */
import { parseQuantity, type FieldProblem } from '@muster/job-api';
import { fieldsOf, invalid, required, type Check } from './check.ts';
import { isQualifiedName, QUALIFIED_MESSAGE } from './names.ts';

const NATIVE = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;
const WHOLE = 1_000_000_000n;

export const quantity: Check = (value, path) => {
  if (value === undefined || value === null) return [];
  const parsed = typeof value === 'string' || typeof value === 'number' ? parseQuantity(value) : undefined;
  if (parsed === undefined) return [invalid(path, value, 'must be a quantity such as 500m, 2 or 16Gi')];
  return parsed.nanos < 0n ? [invalid(path, value, 'must be greater than or equal to 0')] : [];
};

/** Of `resources` of a container. */
export const resources: Check = (value, path) => {
  const { requests, limits } = fieldsOf(value);
  const amounts = { requests: fieldsOf(requests), limits: fieldsOf(limits) };
  return [
    ...Object.entries(amounts).flatMap(([part, byName]) =>
      Object.entries(byName).flatMap(([name, amount]) => amountProblems(name, amount, `${path}.${part}[${name}]`)),
    ),
    // A list has no amount that could be missing.
    ...Object.entries(Array.isArray(limits) ? {} : amounts.requests).flatMap(([name, amount]) =>
      comparison(name, amount, amounts.limits[name], `${path}.requests[${name}]`),
    ),
    ...sizeOfPages({ ...amounts.requests, ...amounts.limits }, path),
  ];
};

function amountProblems(name: string, amount: unknown, path: string): FieldProblem[] {
  const ofName = nameProblems(name, path);
  const ofAmount = quantity(amount, path);
  const { nanos } = parseQuantity(amount as string) ?? { nanos: 0n };
  const isFraction = ofAmount.length === 0 && isExtended(name) && nanos % WHOLE !== 0n;
  return [...ofName, ...ofAmount, ...(isFraction ? [invalid(path, amount, 'must be an integer')] : [])];
}

function nameProblems(name: string, path: string): FieldProblem[] {
  if (!isQualifiedName(name)) return [invalid(path, name, QUALIFIED_MESSAGE)];
  if (!name.includes('/') && !NATIVE.test(name))
    return [
      invalid(path, name, 'must be cpu, memory, ephemeral-storage, or a name with a domain such as nvidia.com/gpu'),
    ];
  return name.startsWith('requests.') ? [invalid(path, name, 'must not begin with "requests."')] : [];
}

function isExtended(name: string): boolean {
  return name.includes('/') && !name.includes('kubernetes.io/');
}

function comparison(name: string, request: unknown, limit: unknown, path: string): FieldProblem[] {
  const requested = parseQuantity(request as string);
  const limited = parseQuantity(limit as string);
  if (requested === undefined) return [];
  const isFixed = isExtended(name) || name.startsWith('hugepages-');
  if (limited === undefined)
    return isFixed ? [required(path.replace('.requests[', '.limits['), `set the limit of ${name} as well`)] : [];
  const shown = JSON.stringify(limit);
  if (isFixed && requested.nanos !== limited.nanos)
    return [invalid(path, request, `must be equal to the limit of ${name}, ${shown}`)];
  return requested.nanos > limited.nanos
    ? [invalid(path, request, `must be less than or equal to the limit of ${name}, ${shown}`)]
    : [];
}

function sizeOfPages(amounts: Readonly<Record<string, unknown>>, path: string): FieldProblem[] {
  const hasPages = Object.keys(amounts).some((name) => name.startsWith('hugepages-'));
  if (!hasPages || 'cpu' in amounts || 'memory' in amounts) return [];
  return [{ path, message: 'Forbidden: hugepages require cpu or memory' }];
}
