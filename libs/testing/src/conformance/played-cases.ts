import { CONCERNS, type Kinds } from './concern.ts';
import type { ConformanceCase } from './conformance-case.ts';
import type { ConformanceFramework } from './conformance-framework.ts';
import { CONFORMANCE_TABLE, type ConformanceTable } from './conformance-table.ts';

/** `chosen`: the cases that an adapter affects, and for the reference kind all others as well; `all`: every case. */
export type Extent = 'chosen' | 'all';

type Player = Pick<
  ConformanceFramework,
  'isReference' | 'isPlain' | 'hasOwnedResources' | 'hasUniqueNames' | 'ownedJobs' | 'leadingRole'
>;

/** Without this role these cases cannot run at all. */
const LED: Kinds = 'kinds with a leading role';

export function playedCases(framework: Player, extent: Extent, table = CONFORMANCE_TABLE): ConformanceTable {
  const kinds = new Set<string>([
    'every kind',
    ...(framework.isPlain === true ? [] : ['kinds that are not plain']),
    ...(framework.isReference === true ? ['the reference kind', 'kinds with owned resources'] : []),
    ...(framework.hasOwnedResources === true ? ['kinds with owned resources'] : []),
    ...(framework.hasUniqueNames === true ? ['kinds with unique names'] : []),
    ...(framework.ownedJobs !== undefined ? ['kinds that own jobs'] : []),
    ...(framework.leadingRole !== undefined ? [LED] : []),
  ]);
  const isPlayed = ({ concern, also = [] }: ConformanceCase) =>
    (extent === 'all' && (CONCERNS[concern].kinds !== LED || kinds.has(LED))) ||
    [CONCERNS[concern].kinds, ...also].some((each) => kinds.has(each));
  return Object.fromEntries(Object.entries(table).map(([topic, cases]) => [topic, cases.filter(isPlayed)]));
}
