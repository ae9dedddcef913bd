import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll } from '@jest/globals'
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet'

/** What a name has: TXT records, each of one or more strings, and addresses. */
export interface Zone {
  readonly txt?: readonly (string | readonly string[])[]
  readonly a?: readonly string[]
  readonly aaaa?: readonly string[]
}

/** A name server on a free port of loopback that knows only what a test tells it. */
export class DnsServer {
  readonly zones = new Map<string, Zone>()
  /** How it answers everything, other than by the zones. */
  failure: 'none' | 'servfail' | 'silence' = 'none'
  readonly questions: string[] = []
  /** What happens elsewhere before a question is answered. */
  meanwhile: (question: string) => Promise<unknown> = async () => undefined

  private socket!: Socket

  static async start(): Promise<DnsServer> {
    const dns = new DnsServer()
    await dns.open()
    return dns
  }

  async open(): Promise<void> {
    const socket = createSocket('udp4')
    socket.on('message', async (message, { port, address }) => {
      const [question] = decode(message).questions ?? []
      if (question) await this.meanwhile(`${question.type} ${question.name}`)
      const answer = this.answerTo(message)
      if (answer) socket.send(answer, port, address)
    })
    this.socket = socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
  }

  /** `127.0.0.1:<port>`, as resolvers take it. */
  get address(): string {
    return `127.0.0.1:${(this.socket.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.socket.close()
    await once(this.socket, 'close')
  }

  private answerTo(message: Buffer): Buffer | null {
    const { id, questions = [] } = decode(message)
    const [question] = questions
    if (!question || this.failure === 'silence') return null
    this.questions.push(`${question.type} ${question.name}`)
    const zone = this.zones.get(question.name.toLowerCase())
    // The code of the answer is in the lowest bits of the flags (RFC 1035 §4.1.1): 2 is a failure, 3 no such name.
    const code = this.failure === 'servfail' ? 2 : zone ? 0 : 3
    const answers = code === 0 && zone ? answersOf(question.name, question.type, zone) : []
    return encode({ type: 'response', id: id ?? 0, flags: AUTHORITATIVE_ANSWER | code, questions, answers })
  }
}

/** A name server, for the tests of the file or `describe` that calls this. */
export function aDnsServer(): DnsServer {
  const dns = new DnsServer()
  beforeAll(() => dns.open())
  afterAll(() => dns.stop())
  return dns
}

function answersOf(name: string, type: string, { txt = [], a = [], aaaa = [] }: Zone): Answer[] {
  if (type === 'TXT') return txt.map(data => ({ type: 'TXT', name, ttl: 0, data: [data].flat() as string[] }))
  if (type === 'A') return a.map(data => ({ type: 'A', name, ttl: 0, data }))
  if (type === 'AAAA') return aaaa.map(data => ({ type: 'AAAA', name, ttl: 0, data }))
  return []
}
