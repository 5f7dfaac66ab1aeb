/** The page in headless Chromium: contents of its panels, and pictures. */
import type { Browser, Page } from 'puppeteer-core';
import puppeteer from 'puppeteer-core';
import type { PanelState } from '../../model/panel-state.ts';

export interface WindowShape {
  readonly width: number;
  readonly height: number;
  readonly isDark?: boolean;
}

export interface SeenPanel {
  readonly title: string;
  readonly type: string;
  readonly state: PanelState;
  /** Its whole text. */
  readonly text: string;
}

/** Runs in the page. */
const PANELS = `Array.from(document.querySelectorAll('.panel'), (panel) => ({
  title: panel.querySelector('h2').textContent,
  type: panel.classList[1],
  state: panel.dataset.state,
  text: panel.querySelector('.body').innerText,
}))`;

/** Titles of panels that end with an ellipsis, and large values that need a second line. */
const CUT_TEXTS = `Array.from(document.querySelectorAll('.panel h2, .reading .value'))
  .filter((text) => text.scrollWidth > text.clientWidth || text.offsetHeight > 2 * parseFloat(getComputedStyle(text).fontSize))
  .map((text) => text.textContent)`;

/** Width of the page beyond its window. */
const OVERFLOW = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** Bottom of the panel in pixels from the top of the page; undefined without such a panel. */
const bottomOf = (title: string) => `(() => {
  const panels = Array.from(document.querySelectorAll('.panel'));
  const panel = panels.find((each) => each.querySelector('h2').textContent === ${JSON.stringify(title)});
  return panel === undefined ? undefined : panel.getBoundingClientRect().bottom + window.scrollY;
})()`;

export class DashboardsBrowser {
  readonly #browser: Browser;

  private constructor(browser: Browser) {
    this.#browser = browser;
  }

  /** @param executablePath of Chromium */
  static async launch(executablePath: string): Promise<DashboardsBrowser> {
    // Chromium has no sandbox for root. It only opens pages of this program.
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    return new DashboardsBrowser(await puppeteer.launch({ executablePath, args }));
  }

  /** Resolves when all panels of a dashboard have been loaded once. */
  async open(url: string, { width, height, isDark = false }: WindowShape): Promise<DashboardView> {
    const page = await this.#browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.setViewport({ width, height });
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }]);
    await page.goto(url);
    await page.waitForSelector('[data-rounds], .cards, body > .error');
    return new DashboardView(page, problems);
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}

export class DashboardView {
  readonly page: Page;
  /** Exceptions of the page's script. */
  readonly problems: readonly string[];

  constructor(page: Page, problems: readonly string[]) {
    this.page = page;
    this.problems = problems;
  }

  panels(): Promise<SeenPanel[]> {
    return this.page.evaluate(PANELS) as Promise<SeenPanel[]>;
  }

  cutTexts(): Promise<string[]> {
    return this.page.evaluate(CUT_TEXTS) as Promise<string[]>;
  }

  /** Pixels beyond the width of the window. */
  overflow(): Promise<number> {
    return this.page.evaluate(OVERFLOW) as Promise<number>;
  }

  /** From the top of the page to the end of the first panel with that title. */
  async picture(path: `${string}.png`, lastPanel: string): Promise<void> {
    const width = this.page.viewport()?.width ?? 0;
    const bottom = (await this.page.evaluate(bottomOf(lastPanel))) as number | undefined;
    if (bottom === undefined) throw new Error(`There is no panel "${lastPanel}" on ${this.page.url()}.`);
    await this.page.screenshot({ path, clip: { x: 0, y: 0, width, height: Math.ceil(bottom) + 8 } });
  }

  async close(): Promise<void> {
    await this.page.close();
  }
}
