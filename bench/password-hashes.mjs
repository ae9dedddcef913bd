import { query } from './machine/stores.mjs'

/** The stored hashes of the seeded users. Throws when they are not of the parameters that the README names. */
export async function passwordHashes(databaseUrl) {
  const { rows } = await query(databaseUrl, 'select password_hash from users')
  const hashes = rows.map(row => row.password_hash)
  const others = hashes.filter(hash => !hash.startsWith('$argon2id$v=19$m=19456,t=2,p=1$'))
  if (hashes.length === 0 || others.length > 0) throw new Error('The stored hashes are not as expected')
  return hashes
}
