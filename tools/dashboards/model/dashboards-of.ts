/** Which dashboards are about operators that there are. */
import type { PageSettings } from './page-settings.ts';

type Listed = PageSettings['dashboards'];

/** As the charts tag their dashboards. */
const FRAMEWORK_TAG = /^muster-(.+)$/;

/**
 * Without those of frameworks that have no operator. All where there is no operator at all: it may not have been scraped yet.
 * @param uid of a dashboard that is kept in any case
 */
export function dashboardsOf(frameworks: readonly string[], dashboards: Listed, uid?: string): Listed {
  if (frameworks.length === 0) return dashboards;
  return dashboards.filter((each) => {
    const own = each.tags.flatMap((tag) => FRAMEWORK_TAG.exec(tag)?.[1] ?? []);
    return each.uid === uid || own.length === 0 || own.some((framework) => frameworks.includes(framework));
  });
}
