import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { serveSatellite } from '../static-site.mjs'

/** Where everything that is built goes. */
const BUILT = new URL('../../dist/examples/react-satellite/', import.meta.url)

export async function start(addresses) {
  const { apiUrl, origin } = addresses
  await build({
    configFile: false,
    root: fileURLToPath(new URL('.', import.meta.url)),
    logLevel: 'warn',
    esbuild: { jsx: 'automatic' },
    define: { MAINSTAY_URL: JSON.stringify(apiUrl) },
    build: {
      outDir: fileURLToPath(BUILT),
      emptyOutDir: true,
      // The site's policy allows no data: addresses.
      assetsInlineLimit: 0,
      modulePreload: false,
      rollupOptions: {
        // 'use client' is for servers that render; this site has none.
        onwarn: (warning, warn) =>
          !['MODULE_LEVEL_DIRECTIVE', 'SOURCEMAP_ERROR'].includes(warning.code) && warn(warning),
      },
    },
  })
  await serveSatellite(BUILT, addresses)
  return `
  Workshop   ${origin}
             As member@example.com or owner@example.com, with the password above
`
}
