/** Values that limit what jobs do for their creators, and who reaches their pods. */
import { JOB_NETWORK_POLICIES, makesNetworkPolicies, type FrameworkAdapter } from '@muster/common-job-controller';
import * as z from 'zod';
import { choice, group, onOff } from './value.ts';

const CREATOR_RIGHTS = {
  enforceCreatorRights: onOff(false, {
    description:
      'Reject a job unless its creator has the permissions that it uses: to create pods, and those for what its framework ' +
      'creates besides. Applies in the namespaces that the operator watches.',
  }),
  exemptUsers: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Users that are exempt, such as system:serviceaccount:kueue-system:kueue-controller-manager, which changes ' +
        'jobs of others.',
    ),
};

const NETWORK = {
  jobNetworkPolicy: choice(JOB_NETWORK_POLICIES, 'None', {
    flag: 'job-network-policy',
    description:
      'NetworkPolicy for each job. DenyIngress: only pods of the job can connect to its pods. DenyAll: additionally, its pods can connect ' +
      'only to each other and to DNS. Other NetworkPolicies of the namespace can allow more.',
  }),
};

/** @param adapters of the framework. A kind with its own field for network policies has no value for them. */
export function tenancyValues(adapters: readonly FrameworkAdapter[]) {
  const network = adapters.some(makesNetworkPolicies) ? {} : NETWORK;
  return { tenancy: group('Limits on what users can do by creating jobs.', { ...CREATOR_RIGHTS, ...network }) };
}
