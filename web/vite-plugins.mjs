import { minify } from '@swc/core'

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

/** Each pass finds what the previous one has uncovered; after the third there is almost nothing left. */
const PASSES = 3

/** Minifies scripts with SWC, whose output for the main site is 3 kB (gzipped) smaller than esbuild's. */
export function smallScripts() {
  return {
    name: 'mainstay-small-scripts',
    async renderChunk(code) {
      const { code: small } = await minify(code, {
        module: true,
        compress: { ecma: 2022, passes: PASSES, keep_fargs: false },
        mangle: { toplevel: true },
        format: { comments: false },
        sourceMap: false,
      })
      return { code: small, map: null }
    },
  }
}

/** The script that draws the pages; see web/pieces/language.ts. */
const NAME = 'app'

/** Makes the browser fetch the script that draws the pages together with the one that requests it. */
export function earlyScripts() {
  return {
    name: 'mainstay-early-scripts',
    transformIndexHtml: {
      order: 'post',
      handler(_, { bundle }) {
        const found = Object.values(bundle).find(({ type, name }) => type === 'chunk' && name === NAME)
        if (!found) throw new Error(`There is no script ${NAME}`)
        return [
          { tag: 'link', attrs: { rel: 'modulepreload', href: `/${found.fileName}` }, injectTo: 'head' },
        ]
      },
    },
  }
}
