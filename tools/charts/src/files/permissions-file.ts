/** `files/permissions.yaml`: the permissions that the operator declares. The library chart renders its roles from it. */
import { isDeepStrictEqual } from 'node:util';
import {
  gangSchedulerNamed,
  kueueClusterPermissions,
  kueuePermissions,
  leasePermissions,
  makesNetworkPolicies,
  nodePermissions,
  operatorPermissions,
  otherLeasePermissions,
  type Permission,
  withNetworkPolicy,
} from '@muster/common-job-controller';
import { FRAMEWORKS, versionsOf, volcanoJobDefinition, type FrameworkName, type KindDefinition } from '@muster/job-api';
import { volcanoJobAdapters } from '@muster/volcano-job';
import { Document, isScalar, visit } from 'yaml';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';

interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** YuniKorn and KAI need no permissions: they read the gang from the pods. */
const GANG_SCHEDULERS = ['volcano', 'scheduler-plugins', 'kubernetes', 'yunikorn', 'kai-scheduler'];

export function permissionsFile(framework: FrameworkName): string {
  const { adapters, plugin } = FRAMEWORK_CHARTS[framework];
  const always = rulesOf(operatorPermissions(adapters, undefined));
  const besides = (permissions: readonly Permission[]) =>
    rulesOf(permissions).filter((rule) => !always.some((other) => isDeepStrictEqual(other, rule)));
  const gangRules = (scheduler: string) => besides(operatorPermissions(adapters, gangSchedulerNamed(scheduler)));
  const isolated = adapters.map((each) => (makesNetworkPolicies(each) ? each : withNetworkPolicy(each, 'DenyIngress')));
  const withVolcanoJobs = [...adapters, ...(plugin === undefined ? [] : volcanoJobAdapters({ volcanoJobs: true }, plugin))];
  const document = new Document(
    {
      jobs: always,
      gang: Object.fromEntries(GANG_SCHEDULERS.map((scheduler) => [scheduler, gangRules(scheduler)])),
      networkPolicies: besides(operatorPermissions(isolated, undefined)),
      volcanoJobs: besides(operatorPermissions(withVolcanoJobs, undefined)),
      kueue: rulesOf(kueuePermissions()),
      kueueCluster: rulesOf(kueueClusterPermissions()),
      nodes: rulesOf(nodePermissions()),
      lease: rulesOf(leasePermissions()),
      otherLeases: rulesOf(otherLeasePermissions()),
      ...peopleRules(FRAMEWORKS[framework]),
      volcanoPeople: peopleRules([volcanoJobDefinition]),
    },
    { aliasDuplicateObjects: false },
  );
  visit(document, {
    Seq: (_key, list) => {
      list.flow = list.items.every(isScalar);
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Permissions of users who read jobs, and of those who write them. */
function peopleRules(definitions: readonly KindDefinition[]) {
  const groups = [...new Set(definitions.map(({ resource }) => resource.group))];
  const kinds = definitions.map(({ resource }) => resource.plural);
  const scales = definitions
    .filter((definition) => versionsOf(definition).some(({ scale }) => scale !== undefined))
    .map(({ resource }) => `${resource.plural}/scale`);
  const statuses = kinds.map((plural) => `${plural}/status`);
  return {
    viewer: [{ apiGroups: groups, resources: [...kinds, ...statuses], verbs: ['get', 'list', 'watch'] }],
    editor: [
      {
        apiGroups: groups,
        resources: kinds,
        verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
      },
      { apiGroups: groups, resources: statuses, verbs: ['get'] },
      ...(scales.length === 0 ? [] : [{ apiGroups: groups, resources: scales, verbs: ['get', 'update', 'patch'] }]),
    ],
  };
}

/** One rule for each resource, with the verbs of all permissions. */
function rulesOf(permissions: readonly Permission[]): PolicyRule[] {
  const verbs = new Map<string, Set<string>>();
  const keyOf = ({ group, resource }: Permission) => JSON.stringify([group, resource]);
  for (const each of permissions) {
    verbs.set(keyOf(each), new Set([...(verbs.get(keyOf(each)) ?? []), ...each.verbs]));
  }
  return [...verbs].map(([key, all]) => {
    const [group = '', resource = ''] = JSON.parse(key) as string[];
    return { apiGroups: [group], resources: [resource], verbs: [...all] };
  });
}
