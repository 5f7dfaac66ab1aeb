import type { PageSettings } from './page-settings.ts';

type Listed = PageSettings['dashboards'];

/** Tag of the charts for the dashboards of a framework. */
const FRAMEWORK_TAG = /^muster-(.+)$/;

/**
 * Leaves out dashboards of frameworks without an operator. Without any operator, all are kept: it may not have been scraped yet.
 * @param uid dashboard that is always kept
 */
export function dashboardsOf(frameworks: readonly string[], dashboards: Listed, uid?: string): Listed {
  if (frameworks.length === 0) return dashboards;
  return dashboards.filter((each) => {
    const own = each.tags.flatMap((tag) => FRAMEWORK_TAG.exec(tag)?.[1] ?? []);
    return each.uid === uid || own.length === 0 || own.some((framework) => frameworks.includes(framework));
  });
}
