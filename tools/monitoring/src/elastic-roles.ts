import { notMatching } from './promql/matchers.ts';

/** Roles to which the bounds of an elastic job apply: not PyTorch's master and Ray's head, which have one replica. */
export const ELASTIC_ROLES = { role: notMatching('Master|headgroup') };
