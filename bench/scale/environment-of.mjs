import { join } from 'node:path'
import { serviceEnvironment } from '../contestants/service.mjs'
import { FOLDER } from '../machine/machine.mjs'
import { query } from '../machine/stores.mjs'

/** The settings of an installation of its own: a new database, the Redis at `redisUrl`, and its keys. */
export async function environmentOf(name, databaseUrl, redisUrl) {
  await query(databaseUrl, `create database ${name}`)
  return {
    ...serviceEnvironment({ databaseUrl: databaseUrl.replace(/postgres$/, name), redisUrl }),
    JWT_KEYS_FILE: join(FOLDER, `jwt-keys-${name}.json`),
    SECRETS_KEYS_FILE: join(FOLDER, `secrets-keys-${name}.json`),
  }
}
