import { notMatching } from './promql/matchers.ts';

/** Roles whose replicas the bounds of an elastic job count: PyTorch's master and the head of Ray are always one. */
export const ELASTIC_ROLES = { role: notMatching('Master|headgroup') };
