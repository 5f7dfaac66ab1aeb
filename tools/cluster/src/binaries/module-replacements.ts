/**
 * Go heeds `replace` lines in the main module only. A program whose own go.mod has some is built with the same versions
 * only if our throw-away module repeats them; this says how.
 */

export interface ModuleReplacements {
  /** `x.y.z`: the release of Kubernetes' modules (`k8s.io/…`) to take instead of the patch release that is named there. */
  kubernetes: string;
  /** Modules that are replaced by a folder of their repository there, and the `x.y.z` that was published from it. */
  published: Readonly<Record<string, string>>;
  /** Modules without which the program builds as well, and which are published in no such version. */
  leftOut: readonly string[];
}

/** The `replace` lines for the throw-away module, from the text of the program's go.mod. */
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
