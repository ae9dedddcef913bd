import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { JwtService } from '@nestjs/jwt'
import { jwtVerify } from 'jose'
import { isTokenForm, signJwt } from '../../sources.js'
import { slow } from '../../support/tiers.js'

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const publicKey = createPublicKey(privateKey)
/** Of so many signatures, some have a number with leading zeros, which DER leaves out and a JWT must not. */
const MANY = 1_500

describe('a signed token', () => {
  it('is accepted by two other implementations, whatever its claims contain', async () => {
    const claims = { sub: 'Zoë', client_id: null, permissions: { payments: false }, exp: 4_000_000_000 }
    const token = signJwt(claims, 'key-1', privateKey)
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, { algorithms: ['ES256'] })
    expect(payload).toEqual(claims)
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: 'key-1' })
    expect(new JwtService().verify(token, { publicKey: publicKey as never })).toEqual(claims)
  })

  slow('always has a signature of 64 bytes', () => {
    const verify = new JwtService()
    for (let index = 0; index < MANY; index++) {
      const token = signJwt({ index }, 'key-1', privateKey)
      expect(isTokenForm(token)).toBe(true)
      expect(verify.verify(token, { publicKey: publicKey as never })).toEqual({ index })
    }
  })
})
