/** Its own file, because every operator knows the roles of all kinds, and the schema of none but its own. */
export const MPI_ROLES = ['Launcher', 'Worker'] as const;

export type MPIRole = (typeof MPI_ROLES)[number];
