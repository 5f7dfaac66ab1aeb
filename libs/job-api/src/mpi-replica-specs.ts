/** Roles of v1 and v2beta1 MPIJobs, and their rules. */
import { anyCaseReplicaSpecs, atMostOne, roleIn, type ReplicaSpecs } from './any-case-roles.ts';
import { rulesOf, type MPIGeneration } from './mpi-generation.ts';
import { MPI_ROLES, type MPIRole } from './mpi-roles.ts';
import type { Rule } from './rule.ts';

const FIELD = 'mpiReplicaSpecs';

export const mpiReplicaSpecsSchema = anyCaseReplicaSpecs({
  kind: 'MPIJob',
  field: FIELD,
  roles: MPI_ROLES,
  leastReplicas: 1,
  defaultRestartPolicy: 'Never, or OnFailure for a launcher of v2beta1. v2beta1 allows only these two',
}).describe(
  'Roles of the job, required in v1 and v2beta1. Launcher: one pod, which runs mpirun. Worker: the pods in ' +
    'which mpirun starts processes. In v2beta1, Worker is optional: without it all processes run in the launcher.',
);

export interface MPISpecWithRoles {
  readonly apiGeneration: MPIGeneration;
  readonly mpiReplicaSpecs?: ReplicaSpecs;
  readonly mainContainer?: string;
}

type SpecRule = Rule<MPISpecWithRoles>;

const specsOf = (self: MPISpecWithRoles): ReplicaSpecs => self[FIELD] ?? {};

function needs(role: MPIRole, why: string): SpecRule {
  return {
    cel: `!has(self.${FIELD}) || self.${FIELD}.exists(r, r.lowerAscii() == '${role.toLowerCase()}')`,
    holds: (self) => self[FIELD] === undefined || roleIn(self[FIELD], role) !== undefined,
    message: `name the role ${role}: ${why}`,
    reason: 'FieldValueRequired',
    at: [FIELD, role],
  };
}

const NEEDS_ROLES: SpecRule = {
  cel: `has(self.${FIELD})`,
  holds: (self) => self[FIELD] !== undefined,
  message: 'name the roles of the job, Launcher and Worker',
  reason: 'FieldValueRequired',
  at: [FIELD],
};

const TAKEN = ['Never', 'OnFailure', ''];
const TAKEN_CEL = `in [${TAKEN.map((policy) => `'${policy}'`).join(', ')}]`;

function restartPolicyOf(role: MPIRole): SpecRule {
  return {
    cel: `self.?${FIELD}[?'${role}'].?restartPolicy.orValue('') ${TAKEN_CEL}`,
    holds: (self) => TAKEN.includes(specsOf(self)[role]?.restartPolicy ?? ''),
    message: 'must be Never or OnFailure: a v2beta1 MPIJob supports no other',
    at: [FIELD, role, 'restartPolicy'],
  };
}

/** For roles in other spellings: a rule cannot name their fields. */
const RESTART_POLICIES_OF_OTHERS: SpecRule = {
  cel:
    `!has(self.${FIELD}) || self.${FIELD}.all(r, r in [${MPI_ROLES.map((role) => `'${role}'`).join(', ')}] || ` +
    `self.${FIELD}[r].?restartPolicy.orValue('') ${TAKEN_CEL})`,
  holds: (self) =>
    Object.entries(specsOf(self)).every(
      ([name, { restartPolicy = '' }]) => MPI_ROLES.some((role) => role === name) || TAKEN.includes(restartPolicy),
    ),
  message: 'restartPolicy must be Never or OnFailure: a v2beta1 MPIJob supports no other',
  at: [FIELD],
};

const TEMPLATE = `self.${FIELD}[r].template`;

const MAIN_CONTAINER_IS_THERE: SpecRule = {
  cel:
    `!has(self.${FIELD}) || self.?mainContainer.orValue('') == '' || self.${FIELD}.all(r, r.lowerAscii() != 'worker' || ` +
    `!has(${TEMPLATE}) || !has(${TEMPLATE}.spec) || !has(${TEMPLATE}.spec.containers) || ` +
    `${TEMPLATE}.spec.containers.exists(c, c.name == self.mainContainer))`,
  holds: (self) => {
    const worker = roleIn(specsOf(self), 'Worker');
    const containers = worker?.spec.template.spec?.containers ?? [];
    return !worker || !self.mainContainer || containers.some(({ name }) => name === self.mainContainer);
  },
  message: 'must be the name of a container of the role Worker: processes are started in it',
  at: ['mainContainer'],
};

export const MPI_ROLE_RULES: readonly SpecRule[] = [
  ...rulesOf<MPISpecWithRoles>(
    ['v1', 'v2beta1'],
    [
      NEEDS_ROLES,
      needs('Launcher', 'its pod runs mpirun'),
      ...atMostOne<MPISpecWithRoles>(FIELD, 'Launcher', 'an MPIJob has one launcher'),
    ],
  ),
  ...rulesOf<MPISpecWithRoles>(
    ['v1'],
    [needs('Worker', 'the launcher of a v1 MPIJob starts all processes in workers'), MAIN_CONTAINER_IS_THERE],
  ),
  ...rulesOf<MPISpecWithRoles>(['v2beta1'], [...MPI_ROLES.map(restartPolicyOf), RESTART_POLICIES_OF_OTHERS]),
];
