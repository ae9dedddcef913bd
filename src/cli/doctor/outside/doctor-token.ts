import { randomBytes, randomUUID } from 'node:crypto'
import { ALGORITHM, TOKEN_TYPE } from '@mainstay-auth/verify/token-rules'
import { SignJWT } from 'jose'
import type { Settings } from '../../../platform/config/settings.js'
import { permissionsOf } from '../../../platform/permissions.js'
import { unixSeconds } from '../../../platform/time.js'
import { accessTokenClaims } from '../../../tokens/access-tokens.js'
import { loadKeys } from '../../../tokens/signing-keys.js'

/** Long enough for a slow answer and the largest clock difference that is still accepted. */
const LIFETIME_SECONDS = 60

/**
 * An access token for nobody, signed with the current key of JWT_KEYS_FILE: no such user, no such session, no
 * permission. A replica accepts it when its keys, JWT_ISSUER and JWT_AUDIENCE are ours. Rejects when the file
 * cannot be used.
 */
export async function doctorToken(settings: Settings, now: Date): Promise<string> {
  const keys = await loadKeys(settings.jwtKeysFile)
  const current = keys.find(({ state }) => state === 'current') as (typeof keys)[number]
  const nobody = {
    userId: randomUUID(),
    accountId: randomUUID(),
    sid: randomBytes(32).toString('base64url'),
    source: 'main',
    clientId: 'main',
    permissions: permissionsOf([]),
    authTime: null,
    amr: [],
    acr: null,
  } as const
  const claims = accessTokenClaims(nobody, {
    issuer: settings.jwtIssuer,
    audience: settings.jwtAudience,
    issuedAt: unixSeconds(now),
    lifetimeSeconds: Math.min(LIFETIME_SECONDS, settings.accessTokenTtlSeconds),
  })
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: ALGORITHM, typ: TOKEN_TYPE, kid: current.kid })
    .sign(current.privateKey)
}
