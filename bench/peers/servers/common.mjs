// What all three do alike.
import { randomUUID } from 'node:crypto'
import { loadKeys } from '../../../dist/src/tokens/signing-keys.js'

export const ISSUER = 'https://api.main-site.example'
export const ACCESS_TOKEN_TTL_SECONDS = 900

/** What a session of the bench knows: as much as one of the service. */
export function aSession(userId) {
  return {
    userId,
    accountId: randomUUID(),
    source: 'satellite',
    permissions: ['dataEntry', 'viewReports'],
    authTime: Math.floor(Date.now() / 1000),
    amr: ['pwd'],
  }
}

/** What an access token of the service says beyond the registered claims, said of this session. */
export function claimsOf({ userId, accountId, source, permissions, authTime, amr }) {
  return {
    userId,
    accountId,
    source,
    client_id: 'https://data.customer-of-ours.example',
    permissions: {
      payments: permissions.includes('payments'),
      accountSettings: permissions.includes('accountSettings'),
      teamManagement: permissions.includes('teamManagement'),
      dataEntry: permissions.includes('dataEntry'),
      viewReports: permissions.includes('viewReports'),
    },
    auth_time: authTime,
    amr,
  }
}

/** The key that the service signs with, too: both forms of it. */
export async function currentKey(file) {
  const { kid, privateKey, publicKey } = (await loadKeys(file)).find(({ state }) => state === 'current')
  const use = { kid, alg: 'ES256', use: 'sig' }
  return {
    kid,
    privateKey,
    privateJwk: { ...privateKey.export({ format: 'jwk' }), ...use },
    publicJwk: { ...publicKey.export({ format: 'jwk' }), ...use },
  }
}

/** Answers each message with what `work` makes of it. */
export function answerMessages(work) {
  process.on('message', async message => {
    process.send(await work(message))
  })
}
