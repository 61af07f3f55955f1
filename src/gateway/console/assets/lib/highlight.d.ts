// What the console uses of `@highlightjs/cdn-assets`, which carries no types.
declare const hljs: {
  getLanguage(name: string): object | undefined;
  highlight(
    text: string,
    options: { readonly language: string; readonly ignoreIllegals: boolean },
  ): { readonly value: string };
};
// biome-ignore lint/style/noDefaultExport: the library's own
export default hljs;
