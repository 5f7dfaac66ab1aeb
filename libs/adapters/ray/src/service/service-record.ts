/** What a RayService remembers between reconcile runs: part of its status, in KubeRay's fields where there are any. */
import type { RayCondition, RayServiceClusterStatus, RayServiceStatus } from '@muster/job-api';

/** One of the two clusters. `name` is recorded before the cluster is created. */
export interface SideRecord extends Omit<RayServiceClusterStatus, 'rayClusterName' | 'rayClusterStatus'> {
  readonly name: string;
}

export interface ServiceRecord {
  /** Gets the requests. */
  readonly active?: SideRecord;
  /** Will replace the active one. The first cluster is pending until its applications run. */
  readonly pending?: SideRecord;
  readonly conditions: readonly RayCondition[];
}

export function serviceRecord(status: RayServiceStatus | undefined): ServiceRecord {
  const { activeServiceStatus, pendingServiceStatus, conditions = [] } = status ?? {};
  const [active, pending] = [activeServiceStatus, pendingServiceStatus].map(sideOf);
  return { ...(active && { active }), ...(pending && { pending }), conditions };
}

function sideOf(status: RayServiceClusterStatus | undefined): SideRecord | undefined {
  const { rayClusterName: name = '', rayClusterStatus: _copy, ...rest } = status ?? {};
  return name === '' ? undefined : { name, ...rest };
}

export function conditionIn(conditions: readonly RayCondition[], type: string): RayCondition | undefined {
  return conditions.find((each) => each.type === type);
}
