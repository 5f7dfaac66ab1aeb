/** Chromium for tests and pictures: an installed one, or Debian's package. */
import { existsSync } from 'node:fs';
import { findProgram, type Progress, runCommand } from '@muster/cluster';
import { DashboardsError } from '../dashboards-error.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const ON_MACOS = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome';

/** With fonts, which a minimal system lacks. */
const PACKAGES = ['chromium', 'fonts-dejavu-core'];

/** Whether Chromium is installed, or apt can install it. */
export function canHaveChromium(): boolean {
  return installed() !== undefined || (findProgram('apt-get') !== undefined && process.getuid?.() === 0);
}

/** Returns its path. Throws a `DashboardsError` with advice if Chromium is not installed and apt cannot install it. */
export async function ensureChromium(progress: Progress): Promise<string> {
  const here = installed();
  if (here !== undefined) return here;
  const advice = 'install Chromium or Google Chrome, so that it is on the PATH';
  if (!canHaveChromium()) throw new DashboardsError(`A browser is needed: ${advice}.`);
  await progress.step('Installing chromium with apt-get', async () => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const apt = ['-o', 'DPkg::Lock::Timeout=300'];
    try {
      await runCommand('apt-get', [...apt, 'update'], { env });
      await runCommand('apt-get', [...apt, 'install', '--yes', '--no-install-recommends', ...PACKAGES], { env });
    } catch (cause) {
      throw new DashboardsError(`apt-get could not install ${PACKAGES.join(' and ')}: ${advice}.`, { cause });
    }
  });
  const now = installed();
  if (now === undefined) throw new DashboardsError(`The package chromium contains no program chromium: ${advice}.`);
  return now;
}

function installed(): string | undefined {
  const found = PROGRAMS.map(findProgram).find((path) => path !== undefined);
  return found ?? (existsSync(ON_MACOS) ? ON_MACOS : undefined);
}
