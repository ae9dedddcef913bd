import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GivenSettings } from '../../sources.js'
import { copyEmbeddedDatabase } from '../../support/embedded-database.js'
import { PASSWORD } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'

export const PREFIX = '/auth'
export const OWNER = 'owner@main.test'
export const WEBHOOK_SECRET = 'whsec_of_the_host_itself'

/** What a program gives that contains Mainstay; `folder` is where the data lies. */
export function settingsIn(folder: string): GivenSettings & { readonly DATABASE_URL: string } {
  return {
    NODE_ENV: 'test',
    PUBLIC_URL: `https://www.main.test${PREFIX}`,
    MAIN_ORIGIN: MAIN,
    ALLOWED_ORIGINS: SHOP_ONE,
    DATA_DIR: folder,
    DATABASE_URL: `pglite:${folder}/database`,
    JWT_KEYS_FILE: `${folder}/keys.json`,
    STRIPE_SECRET_KEY: 'sk_test_of_the_host_itself',
    STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
    STRIPE_PRICE_IDS: 'price_monthly',
    // Nothing listens there.
    STRIPE_API_URL: 'http://127.0.0.1:9',
    LOGINS_PER_ACCOUNT: 1000,
    DATABASE_TIMEOUT_MS: 3000,
  }
}

export interface DataFolder {
  readonly path: string
  remove(): Promise<void>
}

/** A folder with an empty database. */
export async function dataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), 'mainstay-embedded-'))
  await copyEmbeddedDatabase(join(path, 'database'))
  return { path, remove: () => rm(path, { recursive: true, force: true }) }
}

/** A folder whose database has {@link OWNER}. */
export async function folderWithOwner(): Promise<DataFolder> {
  const folder = await dataFolder()
  const settings = Object.entries(settingsIn(folder.path)).map(([name, value]) => [name, String(value)])
  const command = ['account:create', '--email', OWNER, '--password-stdin']
  const { code, errors } = await runInProcess(command, Object.fromEntries(settings), PASSWORD)
  if (code !== 0) throw new Error(errors)
  return folder
}

/** The lines of a log. */
export class LogLines {
  readonly lines: { level: number; context?: string; req?: { path: string }; err?: { message: string } }[] =
    []

  write(line: string): void {
    this.lines.push(JSON.parse(line))
  }
}
