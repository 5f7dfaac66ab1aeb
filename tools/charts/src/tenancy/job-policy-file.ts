/**
 * `files/job-policy.yaml`: the part of a ValidatingAdmissionPolicy that follows from the framework. The library chart adds
 * who is exempt.
 */
import { FRAMEWORKS, type FrameworkName } from '@muster/job-api';
import { stringify } from 'yaml';
import { takenRights, type CreatorRight } from './creator-rights.ts';

export function jobPolicyFile(framework: FrameworkName): string {
  const { rights, variables = {}, changes } = takenRights(framework);
  const resources = FRAMEWORKS[framework].map(({ resource }) => resource);
  const policy = {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [...new Set(resources.map(({ group }) => group))].map((group) => ({
        apiGroups: [group],
        apiVersions: ['*'],
        operations: ['CREATE', 'UPDATE'],
        resources: resources.filter((resource) => resource.group === group).map(({ plural }) => plural),
      })),
    },
    matchConditions: [{ name: 'changes-what-it-takes', expression: `request.operation == 'CREATE' || ${changes}` }],
    ...(Object.keys(variables).length > 0 && {
      variables: Object.entries(variables).map(([name, expression]) => ({ name, expression })),
    }),
    validations: rights.map((right) => ({
      expression: right.takenWhen === undefined ? allowed(right) : `!(${right.takenWhen}) || ${allowed(right)}`,
      messageExpression: message(right),
      reason: 'Forbidden',
    })),
  };
  return stringify(policy, { lineWidth: 0 });
}

function allowed({ verb, group, resource, subresource }: CreatorRight): string {
  const part = subresource === undefined ? '' : `.subresource('${subresource}')`;
  return `authorizer.group('${group}').resource('${resource}')${part}.namespace(request.namespace).check('${verb}').allowed()`;
}

/** In CEL. JSON's strings are CEL's as well. */
function message({ verb, group, resource, subresource, why }: CreatorRight): string {
  const path = subresource === undefined ? resource : `${resource}/${subresource}`;
  const what = group === '' ? path : `${path}.${group}`;
  const missing = JSON.stringify(` may not ${verb} ${what} in namespace `);
  const advice = JSON.stringify(`, and ${why}: ask for a role there that may ${verb} ${what}, such as edit`);
  return `request.userInfo.username + ${missing} + request.namespace + ${advice}`;
}
