import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/config/package-root.js'
import { readSettings } from '../../src/config/read-settings.js'
import { previewOpenApi } from './preview.js'

const FILE = 'docs/openapi.json'

await writeFile(
  join(PACKAGE_ROOT, FILE),
  `${JSON.stringify(await previewOpenApi(readSettings()), null, 2)}\n`,
)
console.log(`${FILE} is written`)
