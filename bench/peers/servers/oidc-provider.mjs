// oidc-provider with refresh tokens in Redis and access tokens as JWTs for one resource. Takes { sessions, users, client } and
// answers with as many refresh tokens of that client.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Redis } from 'ioredis'
import { Provider } from 'oidc-provider'
import { inBatches } from '../../in-batches.mjs'
import {
  ACCESS_TOKEN_TTL_SECONDS,
  answerMessages,
  aSession,
  claimsOf,
  currentKey,
  ISSUER,
} from './common.mjs'

const { PORT, REDIS_URL, KEYS_FILE, CLIENT_SECRET } = process.env
const SCOPE = 'data'
const LIFE_SECONDS = 30 * 24 * 60 * 60

/** Kinds that can be revoked together, by their grant. */
const GRANTABLE = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken', 'DeviceCode'])
/** Kinds that can be used up: hashes with a field that says when. */
const CONSUMABLE = new Set(['AuthorizationCode', 'RefreshToken', 'DeviceCode'])

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

/** Keeps what oidc-provider keeps, with the same commands as the example adapter of its repository. */
function redisAdapter(redis) {
  const grantKey = id => `grant:${id}`
  const uidKey = uid => `uid:${uid}`
  return class RedisAdapter {
    constructor(kind) {
      this.kind = kind
    }

    async upsert(id, payload, expiresIn) {
      const key = this.key(id)
      const text = JSON.stringify(payload)
      const transaction = redis.multi()
      if (CONSUMABLE.has(this.kind)) transaction.hset(key, { payload: text })
      else transaction.set(key, text)
      if (expiresIn) transaction.expire(key, expiresIn)
      if (GRANTABLE.has(this.kind) && payload.grantId) {
        const list = grantKey(payload.grantId)
        transaction.rpush(list, key)
        if (expiresIn > (await redis.ttl(list))) transaction.expire(list, expiresIn)
      }
      if (payload.uid) transaction.set(uidKey(payload.uid), id, 'EX', expiresIn)
      await transaction.exec()
    }

    async find(id) {
      if (!CONSUMABLE.has(this.kind)) {
        const text = await redis.get(this.key(id))
        return text ? JSON.parse(text) : undefined
      }
      const { payload, ...rest } = await redis.hgetall(this.key(id))
      return payload ? { ...rest, ...JSON.parse(payload) } : undefined
    }

    async findByUid(uid) {
      return this.find(await redis.get(uidKey(uid)))
    }

    async consume(id) {
      await redis.hset(this.key(id), 'consumed', Math.floor(Date.now() / 1000))
    }

    async destroy(id) {
      await redis.del(this.key(id))
    }

    async revokeByGrantId(grantId) {
      const tokens = await redis.lrange(grantKey(grantId), 0, -1)
      await redis.del(...tokens, grantKey(grantId))
    }

    key(id) {
      return `${this.kind}:${id}`
    }
  }
}

createServer(provider.callback()).listen(Number(PORT), '127.0.0.1')
