import { DIFFERENCES_OF_EVERY_KIND, documented } from '@muster/shadow';

const PAGE = 'mpijob';

export const MPI_DIFFERENCES = [
  documented(
    PAGE,
    'messages of Created and Suspended',
    /^status\.conditions\[(?:Created|Suspended)\]\.message$/,
    ({ theirs, ours }) => theirs !== '' && ours !== '',
  ),
  documented(
    PAGE,
    'workers of a succeeded job',
    /^status\.replicaStatuses\.Worker\.succeeded$/,
    ({ theirs }) => theirs === '',
  ),
  documented(PAGE, '`failed` of the launcher', /^status\.replicaStatuses\.Launcher\.failed$/),
  documented(PAGE, "annotation `muster.dev/hosts` of the launcher's pod", /^annotate Pod$/),
  documented(
    PAGE,
    "the launcher's Job of a suspended job",
    /^delete Job$/,
    (_difference, { runPolicy }) => runPolicy.suspend === true,
  ),
  ...DIFFERENCES_OF_EVERY_KIND,
];
