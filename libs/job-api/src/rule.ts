/**
 * One validation rule, said twice: in CEL for the API server, which applies it at admission, and in TypeScript for
 * `muster plan` and for the operator, which meet objects that no API server checked. `describe-admission.ts`
 * proves on one table of manifests that both say the same.
 */
import type * as z from 'zod';

/** Why a value is refused, in the API server's words. */
export type RuleReason = 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden';

export interface Rule<T> {
  /** CEL expression over `self`, true when the value is good. It may not fail where a required field is missing. */
  readonly cel: string;
  /** The same in TypeScript. A rule on the change from one state to the next (`oldSelf` in CEL) has none. */
  readonly holds?: (self: T) => boolean;
  /** What is wrong and what to do about it, in one line. */
  readonly message: string;
  /** Where the message depends on the value: a CEL expression that makes the string, and the same in TypeScript. */
  readonly messageFor?: { readonly cel: string; readonly of: (self: T) => string };
  /** Default `FieldValueInvalid`. */
  readonly reason?: RuleReason;
  /** The field below `self` that is to blame. The API server is not told about `metadata.name`: it knows no such field. */
  readonly at?: readonly string[];
  /** The CEL expression says itself what to do on creation: `oldSelf` is an optional there. */
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
 * `rules`, none of which refuses a write of an object that broke it before: for rules over objects that hold fields which the
 * schema does not describe, as pod templates do. The API server lets pass what a write does not change, but takes such an
 * object for changed by every write, also of the status or of finalizers.
 *
 * Each becomes two, since an `oldSelf` that may be absent hides from the API server how costly a rule is.
 */
export function unlessBrokenBefore<T>(rules: readonly Rule<T>[]): Rule<T>[] {
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
