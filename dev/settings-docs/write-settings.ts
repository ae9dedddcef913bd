import { writeFile } from 'node:fs/promises'
import { settingsFiles } from './settings-files.js'

for (const [path, text] of Object.entries(await settingsFiles())) await writeFile(path, text)
console.log('README.md and the env examples show the settings of src/config/settings-table.ts')
