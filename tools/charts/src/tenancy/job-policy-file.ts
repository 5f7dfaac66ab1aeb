/**
 * `files/job-policies.yaml`: parts of ValidatingAdmissionPolicies for the kinds that an operator reconciles, by the value that enables them.
 * The library chart adds exempt users.
 */
import { FRAMEWORKS, VOLCANO_JOBS, type FrameworkName, type Resource } from '@muster/job-api';
import { stringify } from 'yaml';
import { FRAMEWORK_CHARTS } from '../framework-charts.ts';
import { usedPermissions, volcanoRights, type CreatorRight, type UsedPermissions } from './creator-rights.ts';

export function jobPoliciesFile(framework: FrameworkName): string {
  const resources = FRAMEWORKS[framework].map(({ resource }) => resource);
  const { plugin } = FRAMEWORK_CHARTS[framework];
  const policies = {
    jobs: jobPolicy(resources, usedPermissions(framework)),
    ...(plugin !== undefined && { volcanoJobs: jobPolicy([VOLCANO_JOBS], volcanoRights(plugin.name)) }),
  };
  return stringify(policies, { lineWidth: 0, aliasDuplicateObjects: false });
}

function jobPolicy(resources: readonly Resource[], { rights, variables = {}, runs, changes }: UsedPermissions): object {
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [...new Set(resources.map(({ group }) => group))].map((group) => ({
        apiGroups: [group],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE'],
        resources: resources.filter((resource) => resource.group === group).map(({ plural }) => plural),
      })),
    },
    matchConditions: [
      ...(runs === undefined ? [] : [{ name: 'is-run-by-this-operator', expression: runs }]),
      { name: 'changes-what-it-takes', expression: `request.operation == 'CREATE' || ${changes}` },
    ],
    ...(Object.keys(variables).length > 0 && {
      variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    }),
    validations: rights.map((right) => ({
      expression: right.usedWhen === undefined ? allowed(right) : `!(${right.usedWhen}) || ${allowed(right)}`,
      messageExpression: message(right),
      reason: 'Forbidden',
    })),
  };
}

function allowed({ verb, group, resource, subresource }: CreatorRight): string {
  const part = subresource === undefined ? '' : `.subresource('${subresource}')`;
  return `authorizer.group('${group}').resource('${resource}')${part}.namespace(request.namespace).check('${verb}').allowed()`;
}

/** In CEL, whose strings have the syntax of JSON. */
function message({ verb, group, resource, subresource, why }: CreatorRight): string {
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  const what = group === '' ? path : `${path}.${group}`;
  const missing = JSON.stringify(` may not ${verb} ${what} in namespace `);
  const advice = JSON.stringify(`, but ${why}: request a role in the namespace that allows it, such as edit`);
  return `request.userInfo.username + ${missing} + request.namespace + ${advice}`;
}
