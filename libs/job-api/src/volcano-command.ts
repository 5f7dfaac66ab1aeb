/** Volcano's Commands, as `vcctl job suspend` and `resume` create them. */
import type { CustomResourceDefinition, KubeObject, Resource } from './kubernetes.ts';

export interface VolcanoCommand extends KubeObject {
  /** Volcano's name of the action: `AbortJob`, `ResumeJob`. */
  action?: string;
  /** The Job, which also owns the command. */
  target?: { apiVersion?: string; kind?: string; name?: string; uid?: string };
  reason?: string;
  message?: string;
}

export const VOLCANO_COMMANDS: Resource<VolcanoCommand> = {
  group: 'bus.volcano.sh',
  version: 'v1alpha1',
  kind: 'Command',
  plural: 'commands',
  namespaced: true,
};

const TEXT = { type: 'string', maxLength: 4096 };

/** For clusters without Volcano. */
export const VOLCANO_COMMAND_CRD: CustomResourceDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'commands.bus.volcano.sh' },
  spec: {
    group: 'bus.volcano.sh',
    names: { kind: 'Command', listKind: 'CommandList', plural: 'commands', singular: 'command' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            description: 'An action on a Job. Deleted when it is done.',
            type: 'object',
            properties: {
              apiVersion: TEXT,
              kind: TEXT,
              metadata: { type: 'object' },
              action: { ...TEXT, description: 'AbortJob, ResumeJob, CompleteJob or TerminateJob.' },
              target: {
                description: 'The Job.',
                type: 'object',
                properties: {
                  apiVersion: TEXT,
                  kind: TEXT,
                  name: TEXT,
                  uid: TEXT,
                  controller: { type: 'boolean' },
                  blockOwnerDeletion: { type: 'boolean' },
                },
              },
              reason: { ...TEXT, description: 'Reason in CamelCase, for programs.' },
              message: { ...TEXT, description: 'Details for people.' },
            },
          },
        },
      },
    ],
  },
};
