import { readFile } from 'node:fs/promises'
import { envExample } from './env-example.js'
import { withSettings } from './readme-section.js'

/** By path: the files that show the settings, as the code wants them. */
export async function settingsFiles(): Promise<Readonly<Record<string, string>>> {
  return {
    'README.md': withSettings(await readFile('README.md', 'utf8')),
    'config/development.env': envExample('development'),
    'config/production.env.example': envExample('production'),
  }
}
