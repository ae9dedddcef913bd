import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LargeBodies } from '../../sources.js'

const HOUR_MS = 60 * 60 * 1000
const TOO_BUSY = expect.objectContaining({ code: 'TOO_BUSY' })

const request = from('203.0.113.1')

function from(ip: string): FastifyRequest {
  return { headers: { 'content-length': '1048576' }, ip } as unknown as FastifyRequest
}

function aReply(destroyed: boolean): FastifyReply {
  return { raw: { destroyed, once: () => {} } } as unknown as FastifyReply
}

it('keeps no place for a client that has already left', () => {
  const bodies = new LargeBodies()
  for (let time = 0; time < 100; time++) bodies.hold(request, aReply(true))
  for (let time = 0; time < 8; time++) bodies.hold(request, aReply(false))
  expect(() => bodies.hold(request, aReply(false))).toThrow(TOO_BUSY)
})

describe('While strangers have their half of the places', () => {
  let bodies: LargeBodies
  let now = 0
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => now)
    bodies = new LargeBodies()
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const fill = () => {
    for (let body = 0; body < 32; body++) bodies.hold(from(`198.51.${body % 4}.1`), aReply(false))
  }

  it.each([
    ['a day ago', 24 * HOUR_MS, false],
    ['less than a day ago', 24 * HOUR_MS - 1, true],
  ])('a subnet that signed %s is one of them or not (S8)', (_, later, isServed) => {
    bodies.rememberSigner(request)
    now += later
    fill()
    const hold = () => bodies.hold(request, aReply(false))
    if (isServed) expect(hold).not.toThrow()
    else expect(hold).toThrow(TOO_BUSY)
  })

  it('only the hundred subnets that signed last are none of them (S8)', () => {
    for (const subnet of [1, 2, 1]) bodies.rememberSigner(from(`192.0.${subnet}.1`))
    for (let subnet = 100; subnet < 199; subnet++) bodies.rememberSigner(from(`192.0.${subnet}.1`))
    fill()
    bodies.hold(from('192.0.1.1'), aReply(false))
    expect(() => bodies.hold(from('192.0.2.1'), aReply(false))).toThrow(TOO_BUSY)
  })
})
