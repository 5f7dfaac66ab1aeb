/** Queries which of the refused rights are missing. */
import { apiVersionOf, type KubeObject, type Resource } from '@muster/job-api';
import type { KubeClient } from '@muster/kube';
import type { Refusal } from '../history/history.ts';
import type { RefusedRight } from './audit-log.ts';

interface SubjectAccessReview extends KubeObject {
  spec: { user: string; resourceAttributes: object };
  status?: { allowed: boolean };
}

const REVIEWS: Resource<SubjectAccessReview> = {
  ...{ group: 'authorization.k8s.io', version: 'v1', kind: 'SubjectAccessReview', plural: 'subjectaccessreviews' },
  namespaced: false,
};

/** Those that are refused now as well. An API server that has not read all roles after its start refuses what they grant. */
export async function missingRights(client: KubeClient, refused: readonly RefusedRight[]): Promise<Refusal[]> {
  const answers = await Promise.all(
    refused.map(async ({ user, request, attributes }) => {
      const spec = { user, resourceAttributes: attributes };
      const review = { apiVersion: apiVersionOf(REVIEWS), kind: REVIEWS.kind, spec };
      const { status } = await client.create(REVIEWS, review);
      return status?.allowed === true ? [] : [{ user, request }];
    }),
  );
  return answers.flat();
}
