import { writeFile } from 'node:fs/promises'
import { readSettings } from '../../src/config/read-settings.js'
import { previewOpenApi } from './preview.js'

const FILE = 'docs/openapi.json'

await writeFile(FILE, `${JSON.stringify(await previewOpenApi(readSettings()), null, 2)}\n`)
console.log(`${FILE} is written`)
