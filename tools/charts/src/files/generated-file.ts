/** The text of a file, or the path that a symbolic link leads to: Helm follows it, and packages what it finds there. */
export type GeneratedFile = string | { readonly linkTo: string };
