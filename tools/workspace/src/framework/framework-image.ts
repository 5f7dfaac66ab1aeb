/** The image that the framework's examples run in: packages of PyPI on Debian. */
import { execFileSync } from 'node:child_process';

export interface FrameworkImage {
  readonly name: string;
  /** Of the first package: major and minor. */
  readonly version: string;
  /** `muster.local/xgboost-examples:3.2` */
  readonly reference: string;
  /** For pip: every package with its version and hashes. */
  readonly requirements: string;
}

/** @param packages of PyPI, the first of which gives the image its version: `xgboost-cpu lightgbm` */
export function frameworkImage(root: string, name: string, packages: string): FrameworkImage {
  const list = packages.trim().split(/\s+/);
  const requirements = execFileSync('npm', ['run', '--silent', 'images', '--', 'requirements', ...list], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [first = ''] = list;
  const base = first.replace(/[=<>].*$/, '').toLowerCase();
  const found = requirements.split('\n').find((line) => line.startsWith(`${base}==`));
  const version = /==(\d+\.\d+)/.exec(found ?? '')?.[1];
  if (version === undefined) throw new Error(`pip names no version of ${base}:\n${requirements}`);
  return { name, version, reference: `muster.local/${name}-examples:${version}`, requirements };
}
