/** Its own file, because every operator knows the roles of all kinds, and the schema of none but its own. */
export const MX_ROLES = ['Scheduler', 'Server', 'Worker', 'TunerTracker', 'TunerServer', 'Tuner'] as const;

export type MXRole = (typeof MX_ROLES)[number];
