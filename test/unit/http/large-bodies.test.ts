import { expect, it } from '@jest/globals'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LargeBodies } from '../../sources.js'

const request = { headers: { 'content-length': '1048576' }, ip: '203.0.113.1' } as unknown as FastifyRequest

function aReply(destroyed: boolean): FastifyReply {
  return { raw: { destroyed, once: () => {} } } as unknown as FastifyReply
}

it('keeps no place for a client that has already left', () => {
  const bodies = new LargeBodies()
  for (let time = 0; time < 100; time++) bodies.hold(request, aReply(true))
  for (let time = 0; time < 8; time++) bodies.hold(request, aReply(false))
  expect(() => bodies.hold(request, aReply(false))).toThrow(expect.objectContaining({ code: 'TOO_BUSY' }))
})
