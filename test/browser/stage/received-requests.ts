import type { IncomingMessage, RequestListener, Server } from 'node:http'
import { eventually } from '../../support/eventually.js'

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** 0 until it was answered. */
  status: number
}

/** What arrives at a server, by its own account: a browser's tools do not show all that it sends. */
export class ReceivedRequests {
  private readonly all: ReceivedRequest[] = []
  private held: { path: string; released: Promise<void> } | null = null

  constructor(server: Server) {
    const [answer, ...others] = server.listeners('request') as RequestListener[]
    if (!answer || others.length > 0) throw new Error('Not the one listener that was expected')
    server.removeAllListeners('request')
    server.on('request', async (request, response) => {
      const received = this.note(request)
      response.on('finish', () => {
        received.status = response.statusCode
      })
      if (this.held?.path === received.path && received.method !== 'OPTIONS') await this.held.released
      answer(request, response)
    })
  }

  /** So far, oldest first, without preflights; those of `path` alone when one is given. */
  to(path?: string): ReceivedRequest[] {
    return this.all.filter(received => received.method !== 'OPTIONS' && (!path || received.path === path))
  }

  preflightsOf(path: string): ReceivedRequest[] {
    return this.all.filter(received => received.method === 'OPTIONS' && received.path === path)
  }

  /** Resolves when so many have come, and all are answered. */
  async untilAnswered(count: number): Promise<void> {
    const isDone = () => this.to().length >= count && this.to().every(({ status }) => status > 0)
    await eventually(isDone, { what: `${count} answered requests` })
  }

  forget(): void {
    this.all.length = 0
  }

  /** Keeps requests for this path waiting until the answer is called. */
  hold(path: string): () => void {
    let release = () => {}
    const released = new Promise<void>(resolve => {
      release = resolve
    })
    this.held = { path, released }
    return () => {
      this.held = null
      release()
    }
  }

  private note({ method = '', url = '', headers }: IncomingMessage): ReceivedRequest {
    const received = { method, path: url.replace(/\?.*/, ''), headers, status: 0 }
    this.all.push(received)
    return received
  }
}
