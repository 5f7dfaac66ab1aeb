import { attributed } from '../history/attribution.ts';
import type { History } from '../history/history.ts';
import { jobStories } from '../history/job-story.ts';
import { boundedWrites } from './bounded-writes.ts';
import type { Invariant, Violation } from './invariant.ts';
import { everythingIsOwned } from './everything-is-owned.ts';
import { leadersDoNotOverlap } from './leaders-do-not-overlap.ts';
import { noDefectsReported } from './no-defects-reported.ts';
import { noMissingRights } from './no-missing-rights.ts';
import { noMorePodsThanReplicas } from './no-more-pods-than-replicas.ts';
import { noPodsWithoutQuota } from './no-pods-without-quota.ts';
import { nothingCreatedAtRest } from './nothing-created-at-rest.ts';
import { nothingLeftBehind } from './nothing-left-behind.ts';
import { oneClusterPerAttempt } from './one-cluster-per-attempt.ts';
import { oneFinalEnd } from './one-final-end.ts';
import { oneLivePodPerReplica } from './one-live-pod-per-replica.ts';
import { oneRunPerScheduleTime } from './one-run-per-schedule-time.ts';
import { othersUntouched } from './others-untouched.ts';
import { rayEndsAreTrue } from './ray-ends-are-true.ts';
import { restartsEqualFailures } from './restarts-equal-failures.ts';
import { serviceKeepsItsCluster } from './service-keeps-its-cluster.ts';
import { statusAgreesWithPods } from './status-agrees-with-pods.ts';
import { waitingIsExplained } from './waiting-is-explained.ts';

/** In the order of the page. */
export const INVARIANTS: readonly Invariant[] = [
  oneLivePodPerReplica,
  noMorePodsThanReplicas,
  nothingCreatedAtRest,
  noPodsWithoutQuota,
  oneFinalEnd,
  statusAgreesWithPods,
  restartsEqualFailures,
  rayEndsAreTrue,
  oneClusterPerAttempt,
  oneRunPerScheduleTime,
  serviceKeepsItsCluster,
  everythingIsOwned,
  nothingLeftBehind,
  othersUntouched,
  waitingIsExplained,
  boundedWrites,
  noMissingRights,
  leadersDoNotOverlap,
  noDefectsReported,
];

/** Checks every invariant. In runs with two versions, a violation names those that wrote it. */
export function violationsOf(history: History): Violation[] {
  const jobs = jobStories(history);
  return attributed(
    history,
    INVARIANTS.flatMap((invariant) => invariant.check(history, jobs)),
  );
}
