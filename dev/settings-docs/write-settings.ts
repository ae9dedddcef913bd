import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/platform/config/package-root.js'
import { settingsFiles } from './settings-files.js'

for (const [path, text] of Object.entries(await settingsFiles()))
  await writeFile(join(PACKAGE_ROOT, path), text)
console.log('docs/settings.md, docs/commands.md, the env examples and the chart show what the code says')
