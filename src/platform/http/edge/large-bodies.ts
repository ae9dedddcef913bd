import type { FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../errors/api-error.js'
import { subnetOf } from '../request.js'
import { MAX_READ_BODY_BYTES } from './limits.js'
import { Tally } from './tally.js'

/** Each may take 1 MiB. */
const MAX_AT_ONCE = 64
/** The other half is for subnets that have sent a right signature. */
const MAX_OF_STRANGERS = MAX_AT_ONCE / 2
/** Stripe sends from several subnets, and resends what was refused. */
const MAX_FROM_ONE_SUBNET = 8
/** How long a subnet counts as a signer's, and how many do: more than Stripe sends from. */
const SIGNER_MS = 24 * 60 * 60 * 1000
const MAX_SIGNERS = 100

declare module 'fastify' {
  interface FastifyInstance {
    readonly largeBodies: LargeBodies
  }
}

/**
 * Bodies of signed events that are larger than any other body. They are in memory before their signature can be
 * checked, so strangers could fill it.
 */
export class LargeBodies {
  private readonly held = new Tally()
  /** Subnets, and when each signed last by `performance.now()`; longest ago first. */
  private readonly signers = new Map<string, number>()

  /** Counts the request until it has been answered. Throws `TOO_BUSY` (503) when there are too many. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    // A body without a length may turn out to be large.
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (length <= MAX_READ_BODY_BYTES) return
    // The response has already closed, so nothing would free this slot.
    if (reply.raw.destroyed) return
    const subnet = subnetOf(request.ip)
    const most = {
      all: MAX_AT_ONCE,
      ...(!this.isSigner(subnet) && { strangers: MAX_OF_STRANGERS }),
      [subnet]: MAX_FROM_ONE_SUBNET,
    }
    if (Object.entries(most).some(([key, max]) => this.held.of(key) >= max)) throw unavailable('TOO_BUSY')
    for (const key of Object.keys(most)) this.held.add(key)
    reply.raw.once('close', () => {
      for (const key of Object.keys(most)) this.held.remove(key)
    })
  }

  /** The signature of this request is right, so its subnet shares no longer with strangers, for a day. */
  rememberSigner({ ip }: FastifyRequest): void {
    const subnet = subnetOf(ip)
    this.signers.delete(subnet)
    this.signers.set(subnet, performance.now())
    const [oldest] = this.signers.keys()
    if (oldest !== undefined && this.signers.size > MAX_SIGNERS) this.signers.delete(oldest)
  }

  private isSigner(subnet: string): boolean {
    const signedAt = this.signers.get(subnet)
    return signedAt !== undefined && performance.now() - signedAt < SIGNER_MS
  }
}
