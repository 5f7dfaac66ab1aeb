/** Its own file, because every operator knows the roles of all kinds, and the schema of none but its own. */
export const PYTORCH_ROLES = ['Master', 'Worker'] as const;

export type PyTorchRole = (typeof PYTORCH_ROLES)[number];
