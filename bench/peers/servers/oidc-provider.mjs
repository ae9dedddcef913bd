// oidc-provider with refresh tokens in Redis and access tokens as JWTs for one resource. Takes { sessions, users, client } and
// answers with as many refresh tokens of that client.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import { Provider } from 'oidc-provider'
import { inBatches } from '../../in-batches.mjs'
import { answerMessages } from './answer-messages.mjs'
import { ACCESS_TOKEN_TTL_SECONDS, aSession, claimsOf, ISSUER } from './claims.mjs'
import { currentKey } from './current-key.mjs'
import { redisAdapter } from './redis-adapter.mjs'

const { PORT, REDIS_URL, KEYS_FILE, CLIENT_SECRET } = process.env
const SCOPE = 'data'
const LIFE_SECONDS = 30 * 24 * 60 * 60

const { privateJwk } = await currentKey(KEYS_FILE)
const redis = new Redis(REDIS_URL, { keyPrefix: 'oidc:' })
/** What the login knows about each account; a real one would ask its database. */
const sessions = new Map()
const common = {
  grant_types: ['authorization_code', 'refresh_token'],
  redirect_uris: ['https://data.customer-of-ours.example/callback'],
}

const provider = new Provider(ISSUER, {
  adapter: redisAdapter(redis),
  jwks: { keys: [privateJwk] },
  clients: [
    {
      ...common,
      client_id: 'browser',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    { ...common, client_id: 'server', client_secret: CLIENT_SECRET, id_token_signed_response_alg: 'ES256' },
  ],
  scopes: ['offline_access', SCOPE],
  clientBasedCORS: () => true,
  findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  extraTokenClaims: (_, token) => claimsOf(sessions.get(token.accountId)),
  ttl: { AccessToken: ACCESS_TOKEN_TTL_SECONDS, RefreshToken: LIFE_SECONDS, Grant: LIFE_SECONDS },
  features: {
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: () => ({
        scope: SCOPE,
        audience: ISSUER,
        accessTokenTTL: ACCESS_TOKEN_TTL_SECONDS,
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  },
})
provider.proxy = true
provider.on('server_error', (_, error) => console.error(error))

answerMessages(async ({ sessions: count, users, client: clientId }) => {
  const client = await provider.Client.find(clientId)
  const userIds = Array.from({ length: users }, () => randomUUID())
  for (const userId of userIds) sessions.set(userId, aSession(userId))
  return inBatches(count, async index => {
    const accountId = userIds[index % users]
    const grant = new provider.Grant({ accountId, clientId })
    grant.addResourceScope(ISSUER, SCOPE)
    const token = new provider.RefreshToken({
      accountId,
      client,
      grantId: await grant.save(),
      gty: 'authorization_code',
      resource: ISSUER,
      scope: SCOPE,
      amr: ['pwd'],
      authTime: Math.floor(Date.now() / 1000),
    })
    return token.save()
  })
})

createServer(provider.callback()).listen(Number(PORT), '127.0.0.1')
