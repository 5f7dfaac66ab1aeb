/** Scalar types of several parts of the API. */
import * as z from 'zod';
import { withRules } from './rule.ts';

const QUANTITY =
  /^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?([0-9]+([.][0-9]*)?|[.][0-9]+))?$/;

const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const SUBDOMAIN_MESSAGE = 'must be a name of lower-case letters, digits, - and .';

/** The name of an object, as most kinds of Kubernetes require it. */
export const subdomain = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^${SUBDOMAIN}$`), SUBDOMAIN_MESSAGE);

/** The name of an object, or `''` for none, which Go clients write for a field that they leave unset. */
export const subdomainOrEmpty = () =>
  z
    .string()
    .max(253)
    .regex(new RegExp(`^(${SUBDOMAIN})?$`), SUBDOMAIN_MESSAGE);

/** The name of a queue, which some schedulers read from a label, or `''` for none. */
export const queueName = () =>
  z
    .string()
    .max(253)
    .regex(
      /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/,
      'must be letters, digits, -, _ and ., and begin and end with a letter or digit',
    );

/** A non-negative 32-bit integer. */
export const count = () => z.int32().min(0);

/** A non-negative 64-bit integer, up to the largest that JSON numbers represent exactly. */
export const longCount = () =>
  withRules(z.int().min(0), [
    // Zod's integers have this limit already; the API server's do not.
    { cel: `self <= ${Number.MAX_SAFE_INTEGER}`, message: `must be at most ${Number.MAX_SAFE_INTEGER}` },
  ]);

/** A TCP or UDP port. */
export const port = () => z.int32().min(1).max(65_535);

/** A point in time, RFC 3339, as the API server writes it. */
export const time = () => z.string().meta({ format: 'date-time' });

/** A resource quantity such as `500m`, `2` or `16Gi`. */
export const quantity = () =>
  z.union([z.int(), z.string().regex(QUANTITY)]).meta({ 'x-kubernetes-int-or-string': true, pattern: QUANTITY.source });
