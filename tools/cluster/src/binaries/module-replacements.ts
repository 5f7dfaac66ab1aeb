/**
 * Go uses only the `replace` lines of the main module. To build a program with the same versions as its own go.mod, the temporary module
 * must repeat these lines.
 */

export interface ModuleReplacements {
  /** `x.y.z`: the release of Kubernetes' modules (`k8s.io/…`) to use instead of the patch release in go.mod. */
  kubernetes: string;
  /** Modules that go.mod replaces by a folder of its repository, and the `x.y.z` that was published from it. */
  published: Readonly<Record<string, string>>;
  /** Modules that the build does not need, and that are not published in such a version. */
  leftOut: readonly string[];
}

/** The `replace` lines of the temporary module, from the text of the program's go.mod. */
export function replacementLines(goMod: string, { kubernetes, published, leftOut }: ModuleReplacements): string[] {
  const replaced = [...goMod.matchAll(/^\s*(?:replace\s+)?([^\s/]\S*) => (\S+) (v\S+)\s*$/gm)];
  const kept = replaced.flatMap(([, module = '', target = '', version = '']) => {
    if (leftOut.includes(module)) return [];
    const isStaging = module.startsWith('k8s.io/') && target === module && version.startsWith('v0.');
    return [`replace ${module} => ${target} ${isStaging ? `v${kubernetes}` : version}`];
  });
  return [
    ...kept,
    ...Object.entries(published).map(([module, version]) => `replace ${module} => ${module} v${version}`),
  ];
}
