import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'

const compress = promisify(brotliCompress)
/** Smaller files fit into the same packet as their headers. */
const LEAST_BYTES = 1_000

/**
 * Writes `<name>.br` beside each file in a folder (whose path ends in a slash), for servers that send these.
 * Every browser that runs these pages accepts Brotli over https.
 */
export async function compressFiles(folder) {
  const files = readdirSync(folder).map(async name => {
    const content = await readFile(`${folder}${name}`)
    if (content.length < LEAST_BYTES) return
    const compressed = await compress(content)
    // Fonts are compressed already.
    if (compressed.length < content.length) await writeFile(`${folder}${name}.br`, compressed)
  })
  await Promise.all(files)
}
