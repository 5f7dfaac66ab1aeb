/** `spec.authOptions` of a RayCluster: authentication of calls to Ray. */
import * as z from 'zod';
import { isFromRayVersion, isFromRayVersionCel } from './ray-version.ts';
import { withRules, type Rule } from './rule.ts';

export const authOptionsSchema = withRules(
  z.object({
    mode: z
      .enum(['disabled', 'token'])
      .describe('token: Ray accepts only calls with the token. disabled: Ray accepts all calls. Default token.')
      .exactOptional(),
    secretName: z
      .string()
      .describe(
        'Existing Secret with the token under the key auth_token. Default: Muster creates one with a random token.',
      )
      .exactOptional(),
    enableK8sTokenAuth: z
      .boolean()
      .describe(
        'Ray validates tokens by the API server: callers use the token of a ServiceAccount, which needs the ' +
          'verb ray:write. Not for RayJobs. Default false.',
      )
      .exactOptional(),
  }),
  [
    {
      cel: "!self.?enableK8sTokenAuth.orValue(false) || self.?secretName.orValue('') == ''",
      holds: ({ enableK8sTokenAuth, secretName = '' }) => enableK8sTokenAuth !== true || secretName === '',
      message: 'remove it: enableK8sTokenAuth uses the tokens of ServiceAccounts',
      reason: 'FieldValueForbidden',
      at: ['secretName'],
    },
    {
      cel: "!self.?enableK8sTokenAuth.orValue(false) || self.?mode.orValue('') != 'disabled'",
      holds: ({ enableK8sTokenAuth, mode }) => enableK8sTokenAuth !== true || mode !== 'disabled',
      message: 'remove it, or set mode to token: mode disabled uses no tokens',
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

/** Rules of the whole spec. */
export const AUTH_RULES: readonly Rule<SpecWithAuth>[] = [
  {
    cel:
      "!has(self.authOptions) || self.authOptions.?mode.orValue('') == 'disabled' || " +
      isFromRayVersionCel('self', TOKEN_VERSION),
    holds: (self) =>
      self.authOptions === undefined || self.authOptions.mode === 'disabled' || isFromRayVersion(self, TOKEN_VERSION),
    message: `must be 2.${TOKEN_VERSION}.0 or later for authOptions: earlier releases of Ray do not support tokens`,
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
