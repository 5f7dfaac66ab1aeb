/** `spec.authOptions` of a RayCluster: who may speak to it. */
import * as z from 'zod';
import { isFromRayVersion, isFromRayVersionCel } from './ray-version.ts';
import { withRules, type Rule } from './rule.ts';

export const authOptionsSchema = withRules(
  z.object({
    mode: z
      .enum(['disabled', 'token'])
      .describe('token, the default: Ray takes calls only with the token. disabled: from everybody.')
      .exactOptional(),
    secretName: z
      .string()
      .describe('A Secret of yours with the token under the key auth_token. Default: one is made, with a random token.')
      .exactOptional(),
    enableK8sTokenAuth: z
      .boolean()
      .describe(
        'Ray asks the API server whether a token is good: callers bring that of a ServiceAccount, which needs the verb ' +
          'ray:write. Not for RayJobs. Default false.',
      )
      .exactOptional(),
  }),
  [
    {
      cel: "!self.?enableK8sTokenAuth.orValue(false) || self.?secretName.orValue('') == ''",
      holds: ({ enableK8sTokenAuth, secretName = '' }) => enableK8sTokenAuth !== true || secretName === '',
      message: 'remove it: with enableK8sTokenAuth the tokens are those of ServiceAccounts',
      reason: 'FieldValueForbidden',
      at: ['secretName'],
    },
    {
      cel: "!self.?enableK8sTokenAuth.orValue(false) || self.?mode.orValue('') != 'disabled'",
      holds: ({ enableK8sTokenAuth, mode }) => enableK8sTokenAuth !== true || mode !== 'disabled',
      message: 'remove it, or set mode to token: with mode disabled no token is asked for',
      reason: 'FieldValueForbidden',
      at: ['enableK8sTokenAuth'],
    },
  ],
);

export type RayAuthOptions = z.output<typeof authOptionsSchema>;

interface SpecWithAuth {
  readonly rayVersion?: string;
  readonly authOptions?: RayAuthOptions;
}

const TOKEN_VERSION = 52;
const K8S_TOKEN_VERSION = 55;

/** Of the whole spec. */
export const AUTH_RULES: readonly Rule<SpecWithAuth>[] = [
  {
    cel:
      "!has(self.authOptions) || self.authOptions.?mode.orValue('') == 'disabled' || " +
      isFromRayVersionCel('self', TOKEN_VERSION),
    holds: (self) =>
      self.authOptions === undefined || self.authOptions.mode === 'disabled' || isFromRayVersion(self, TOKEN_VERSION),
    message: `must be 2.${TOKEN_VERSION}.0 or later for authOptions: earlier releases of Ray know no token`,
    at: ['rayVersion'],
  },
  {
    cel:
      `!self.?authOptions.?enableK8sTokenAuth.orValue(false) || ${isFromRayVersionCel('self', K8S_TOKEN_VERSION)} || ` +
      `!${isFromRayVersionCel('self', TOKEN_VERSION)}`,
    holds: (self) =>
      self.authOptions?.enableK8sTokenAuth !== true ||
      isFromRayVersion(self, K8S_TOKEN_VERSION) ||
      !isFromRayVersion(self, TOKEN_VERSION),
    message: `must be 2.${K8S_TOKEN_VERSION}.0 or later for authOptions.enableK8sTokenAuth`,
    at: ['rayVersion'],
  },
];
