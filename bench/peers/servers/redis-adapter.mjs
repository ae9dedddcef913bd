/** Kinds that can be revoked together, by their grant. */
const GRANTABLE = new Set(['AccessToken', 'AuthorizationCode', 'RefreshToken', 'DeviceCode'])
/** Kinds that can be used up: hashes with a field that says when. */
const CONSUMABLE = new Set(['AuthorizationCode', 'RefreshToken', 'DeviceCode'])

/** Keeps what oidc-provider keeps, with the same commands as the example adapter of its repository. */
export function redisAdapter(redis) {
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
