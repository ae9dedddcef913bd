import { createClient, type RedisClientType } from 'redis'
import { OPTIONS, type ServerAddress, SOCKET } from './redis-client.js'

/** How we log in to every server. */
export interface ServerLogin {
  readonly username?: string
  readonly password?: string
  readonly isOverTls: boolean
}

/** The login in a `redis[s]://` URL. */
export function loginOf(url: string): ServerLogin {
  const { protocol, username, password } = new URL(url)
  return {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    isOverTls: protocol === 'rediss:',
  }
}

/** A client for this one server, not yet connected, which gives up when its connection is lost. */
export function connectTo({ host, port }: ServerAddress, login: ServerLogin): RedisClientType {
  const { isOverTls, ...credentials } = login
  const socket = { ...SOCKET, host, port, reconnectStrategy: false as const }
  const client = createClient({
    ...OPTIONS,
    ...credentials,
    socket: isOverTls ? { ...socket, tls: true } : socket,
  })
  return client as unknown as RedisClientType
}
