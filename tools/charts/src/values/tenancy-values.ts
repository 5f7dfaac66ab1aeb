/** Values that say what jobs may do on behalf of those who write them, and who reaches their pods. */
import { JOB_NETWORK_POLICIES, makesNetworkPolicies, type FrameworkAdapter } from '@muster/common-job-controller';
import * as z from 'zod';
import { choice, group, onOff } from './value.ts';

const CREATOR_RIGHTS = {
  enforceCreatorRights: onOff(false, {
    description:
      'Whether a job is refused unless whoever writes it has the rights that it takes: to create pods, and what its framework ' +
      'uses besides. It holds in the namespaces that the operator watches.',
  }),
  exemptUsers: z
    .array(z.string().min(1))
    .default([])
    .describe(
      'Users that are not asked, such as system:serviceaccount:kueue-system:kueue-controller-manager, which changes ' +
        "others' jobs.",
    ),
};

const NETWORK = {
  jobNetworkPolicy: choice(JOB_NETWORK_POLICIES, 'None', {
    flag: 'job-network-policy',
    description:
      'A NetworkPolicy for each job: only its own pods reach them (DenyIngress), and they reach only one another and DNS ' +
      '(DenyAll). Other NetworkPolicies of the namespace allow more.',
  }),
};

/** @param adapters of the framework: kinds that say themselves who reaches their pods have no value for it */
export function tenancyValues(adapters: readonly FrameworkAdapter[]) {
  const network = adapters.some(makesNetworkPolicies) ? {} : NETWORK;
  return { tenancy: group('What users of the cluster can do by writing jobs.', { ...CREATOR_RIGHTS, ...network }) };
}
