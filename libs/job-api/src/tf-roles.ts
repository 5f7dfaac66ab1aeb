/** Its own file, because every operator knows the roles of all kinds, and the schema of none but its own. */
export const TF_ROLES = ['Chief', 'Evaluator', 'Master', 'PS', 'Worker'] as const;

export type TFRole = (typeof TF_ROLES)[number];
