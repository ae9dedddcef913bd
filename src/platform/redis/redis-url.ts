/** Where Redis is, and how it is set up. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly url: string }
  | { readonly kind: 'cluster'; readonly urls: readonly string[] }
  | {
      readonly kind: 'sentinel'
      readonly sentinels: readonly { host: string; port: number }[]
      readonly masterName: string
      readonly username?: string
      readonly password?: string
    }

const DEFAULT_SENTINEL_PORT = 26379

/**
 * Reads SESSION_STORE_URL: `redis[s]://…`, `redis[s]+cluster://[user:password@]host:port,host:port` or
 * `redis+sentinel://[user:password@]host:port,host:port/<master name>`. Throws an Error for anything else.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const match = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/?#]*)@)?([^@/?#]+)(?:\/(.*))?$/.exec(url)
  const [, scheme, kind, credentials, hosts = '', path] = match ?? []
  // The message never quotes the text itself, which contains a password.
  if (!match || !hosts.split(',').every(host => URL.canParse(`redis://${credentials ?? ''}@${host}`)))
    throw new Error('SESSION_STORE_URL is not a Redis address (a password needs percent-encoding)')
  if (scheme === 'rediss' && kind === 'sentinel')
    throw new Error('SESSION_STORE_URL: sentinels are reached without TLS only')
  if (!kind) return { kind: 'single', url }
  if (kind === 'cluster') {
    const login = credentials ? `${credentials}@` : ''
    return { kind, urls: hosts.split(',').map(host => `${scheme}://${login}${host}`) }
  }
  if (!path)
    throw new Error('SESSION_STORE_URL needs the master name: redis+sentinel://host:port/<master name>')
  const [username, password] = (credentials ?? '').split(':').map(decodeURIComponent)
  return {
    kind: 'sentinel',
    masterName: path,
    sentinels: hosts.split(',').map(host => hostAndPort(`redis://${host}`, DEFAULT_SENTINEL_PORT)),
    ...(username && { username }),
    ...(password && { password }),
  }
}

/** Sockets take an IPv6 address without its brackets. */
export function hostAndPort(url: string, defaultPort: number): { host: string; port: number } {
  const { hostname, port } = new URL(url)
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || defaultPort) }
}
