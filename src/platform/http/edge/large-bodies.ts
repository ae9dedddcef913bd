import type { FastifyReply, FastifyRequest } from 'fastify'
import { unavailable } from '../../errors/api-error.js'
import { subnetOf } from '../request.js'
import { MAX_READ_BODY_BYTES } from './limits.js'

/** Each may take 1 MiB. */
const MAX_AT_ONCE = 64
/** Stripe sends from several subnets, and resends what was refused. */
const MAX_FROM_ONE_SUBNET = 8

/**
 * Bodies of signed events that are larger than any other body. They are in memory before their signature can be
 * checked, so strangers could fill it.
 */
export class LargeBodies {
  private atOnce = 0
  private readonly bySubnet = new Map<string, number>()

  /** Counts the request until it has been answered. Throws `TOO_BUSY` (503) when there are too many. */
  hold(request: FastifyRequest, reply: FastifyReply): void {
    // A body without a length may turn out to be large.
    const length = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY)
    if (length <= MAX_READ_BODY_BYTES) return
    // The response has already closed, so nothing would free this slot.
    if (reply.raw.destroyed) return
    const subnet = subnetOf(request.ip)
    const fromThere = this.bySubnet.get(subnet) ?? 0
    if (this.atOnce >= MAX_AT_ONCE || fromThere >= MAX_FROM_ONE_SUBNET) throw unavailable('TOO_BUSY')
    this.atOnce++
    this.bySubnet.set(subnet, fromThere + 1)
    reply.raw.once('close', () => this.release(subnet))
  }

  private release(subnet: string): void {
    this.atOnce--
    const left = (this.bySubnet.get(subnet) ?? 1) - 1
    if (left > 0) this.bySubnet.set(subnet, left)
    else this.bySubnet.delete(subnet)
  }
}
