/** The single folder that everything lies in, or `undefined` when there is none. */
export function singleRoot(paths: readonly string[]): string | undefined {
  const root = paths[0]?.split('/')[0];
  if (root === undefined) return undefined;
  return paths.every((path) => path.startsWith(`${root}/`)) ? root : undefined;
}

/** The paths as seen from inside the folder `root`. */
export function stripRoot<T extends { readonly path: string }>(files: readonly T[], root: string): T[] {
  return files.map((file) => ({ ...file, path: file.path.slice(root.length + 1) }));
}
