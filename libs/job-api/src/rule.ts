/**
 * A validation rule in two forms: in CEL for admission by the API server, and in TypeScript for `muster plan` and the
 * operator, which also read objects that no API server validated. `describe-admission.ts` and `problems-of.spec.ts`
 * test both forms with the same manifests.
 */
import type * as z from 'zod';

/** The API server's reasons for rejecting a value. */
export type RuleReason = 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden';

export interface Rule<T> {
  /** CEL expression over `self`, true if the value is valid. It must not error if a required field is missing. */
  readonly cel: string;
  /** The same in TypeScript. Absent for rules about changes (`oldSelf` in CEL). */
  readonly holds?: (self: T) => boolean;
  /** What is wrong and what to do about it, in one line. */
  readonly message: string;
  /** For messages that depend on the value: a CEL expression for the message, and the same in TypeScript. */
  readonly messageFor?: { readonly cel: string; readonly of: (self: T) => string };
  /** Default `FieldValueInvalid`. */
  readonly reason?: RuleReason;
  /** Path of the invalid field below `self`. The CRD omits `metadata.name`, which its schema does not describe. */
  readonly at?: readonly string[];
  /** The CEL expression is also evaluated on creation; `oldSelf` is an optional. */
  readonly optionalOldSelf?: boolean;
}

/** The key of CEL rules in an OpenAPI schema of the API server. */
const VALIDATIONS = 'x-kubernetes-validations';

/** `schema` with `rules` added, both for zod and for the CRD. */
export function withRules<S extends z.ZodType>(schema: S, rules: readonly Rule<z.output<S>>[]): S {
  const checked = schema.superRefine((self, context) => {
    for (const rule of rules) {
      if (rule.holds === undefined || rule.holds(self)) continue;
      context.addIssue({
        code: 'custom',
        path: [...(rule.at ?? [])],
        message: rule.messageFor?.of(self) ?? rule.message,
        params: { reason: rule.reason ?? 'FieldValueInvalid' },
      });
    }
  });
  return checked.meta({ ...schema.meta(), [VALIDATIONS]: rules.map(validationOf) });
}

/**
 * `rules`, but accepting writes of objects that already violated them. The API server does this itself for unchanged
 * values. It treats objects with undescribed fields, such as pod templates, as changed by every write, including
 * writes of the status or of finalizers.
 *
 * Each rule becomes two, because an optional `oldSelf` hides the cost of a rule from the API server.
 */
export function acceptingExistingViolations<T>(rules: readonly Rule<T>[]): Rule<T>[] {
  return rules.flatMap(({ holds, ...rule }) => [
    { ...rule, ...(holds && { holds }), cel: `oldSelf.hasValue() || (${rule.cel})`, optionalOldSelf: true },
    { ...rule, cel: `!(${rule.cel.replaceAll(/\bself\b/g, 'oldSelf')}) || (${rule.cel})` },
  ]);
}

function validationOf<T>(rule: Rule<T>): object {
  return {
    rule: rule.cel,
    message: rule.message,
    ...(rule.messageFor && { messageExpression: rule.messageFor.cel }),
    ...(rule.reason && { reason: rule.reason }),
    ...(rule.at &&
      rule.at.join('.') !== 'metadata.name' && { fieldPath: rule.at.map((field) => `.${field}`).join('') }),
    ...(rule.optionalOldSelf && { optionalOldSelf: true }),
  };
}
