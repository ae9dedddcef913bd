import { BlockList, isIP } from 'node:net'
import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { type OperatorSettings, Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { clientOf } from '../platform/http/request.js'

/** Who can reach the console, and for whom it does not exist. */
@Injectable()
export class ConsoleAddress {
  /** Null when there is no console. */
  readonly origin: string | null
  private readonly host: string | null
  private readonly allowed: BlockList

  constructor({ operators }: Settings) {
    this.origin = operators?.origin ?? null
    this.host = operators && new URL(operators.origin).host
    this.allowed = blockListOf(operators)
  }

  isConsoleHost(host: string): boolean {
    return host === this.host
  }

  /** Whether the request is for the console's host, byte for byte as a browser sends it, from an allowed address. */
  reaches(request: FastifyRequest): boolean {
    if (this.host === null || request.headers.host !== this.host) return false
    const { ip } = clientOf(request)
    const family = isIP(ip)
    return family !== 0 && this.allowed.check(ip, family === 6 ? 'ipv6' : 'ipv4')
  }

  /**
   * Throws `NOT_FOUND` for a client that cannot reach it, and `ORIGIN_NOT_ALLOWED` for a request that another
   * page makes the browser send: a change needs the console's Origin, and a read must not come from another
   * site, where the browser says so.
   */
  require(request: FastifyRequest): void {
    if (!this.reaches(request)) throw new ApiError('NOT_FOUND')
    const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const isOwn = origin === undefined ? isRead : origin === this.origin
    if (!isOwn || site !== 'same-origin') throw new ApiError('ORIGIN_NOT_ALLOWED')
  }
}

function blockListOf(operators: OperatorSettings | null): BlockList {
  const list = new BlockList()
  for (const text of operators?.addresses ?? []) {
    const [address = '', prefix] = text.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return list
}
