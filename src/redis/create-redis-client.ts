import { clusterClient } from './cluster-client.js'
import type { RedisClient } from './redis-client.js'
import { parseRedisUrl } from './redis-url.js'
import { sentinelClient } from './sentinel-client.js'
import { singleClient } from './single-client.js'

/** A client for SESSION_STORE_URL, not yet connected. Throws an Error when the URL cannot be read. */
export function createRedisClient(url: string): RedisClient {
  const address = parseRedisUrl(url)
  if (address.kind === 'cluster') return clusterClient(address.urls)
  if (address.kind === 'sentinel') return sentinelClient(address)
  return singleClient(address.url)
}
