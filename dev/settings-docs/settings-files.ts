import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/platform/config/package-root.js'
import { withChartSettings } from './chart-schema.js'
import { envExample } from './env-example.js'
import { withSettings } from './readme-section.js'

/** The files that show the settings, by path, with the content that the code implies. */
export async function settingsFiles(): Promise<Readonly<Record<string, string>>> {
  const schema = 'deploy/helm/mainstay/values.schema.json'
  return {
    'README.md': withSettings(await readFile(join(PACKAGE_ROOT, 'README.md'), 'utf8')),
    'config/development.env': envExample('development'),
    'config/production.env.example': envExample('production'),
    [schema]: withChartSettings(await readFile(join(PACKAGE_ROOT, schema), 'utf8')),
  }
}
