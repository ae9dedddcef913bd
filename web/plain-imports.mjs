/**
 * Removes the code that Vite adds around each `import()` to preload other scripts and styles: with
 * `modulePreload: false` and `cssCodeSplit: false` there are none, and it is half a kilobyte.
 */
export function plainImports() {
  return {
    name: 'mainstay-plain-imports',
    enforce: 'pre',
    load: id => (id === '\0vite/preload-helper.js' ? 'export const __vitePreload = load => load()' : null),
  }
}
