/** The text of a file, or the target of a symbolic link, which Helm follows and packages. */
export type GeneratedFile = string | { readonly linkTo: string };
