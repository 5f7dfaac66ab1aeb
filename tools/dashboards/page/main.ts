/** The page: a list of dashboards at `/`, and one of them at `/d/<uid>`. */
import type { Dashboard } from '../model/dashboard.ts';
import type { PageSettings } from '../model/page-settings.ts';
import { DashboardPage } from './dashboard-page.ts';
import { element } from './element.ts';
import { listPage } from './list-page.ts';
import './style.css';

async function main(): Promise<void> {
  const settings = await answerOf<PageSettings>('/api/settings');
  const uid = /^\/d\/([^/]+)$/.exec(location.pathname)?.[1];
  if (uid === undefined) return document.body.append(listPage(settings));
  if (!settings.dashboards.some((each) => each.uid === decodeURIComponent(uid))) {
    throw new Error(`Dashboard ${decodeURIComponent(uid)} does not exist.`);
  }
  const page = new DashboardPage(await answerOf<Dashboard>(`/api/dashboards/${uid}`), settings);
  document.body.append(page.root);
  page.start();
}

async function answerOf<T>(path: string): Promise<T> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path} returned status ${response.status}`);
  return (await response.json()) as T;
}

main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  document.body.replaceChildren(
    element('p', { class: 'error', role: 'alert' }, message, ' ', element('a', { href: '/' }, 'All dashboards')),
  );
});
