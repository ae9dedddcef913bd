import { ALGORITHM } from '@mainstay-auth/verify/token-rules'
import { Controller, Get, Header } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { Documented } from '../http/documented.js'
import { Public } from './jwt.guard.js'
import { PUBLISH_BEFORE_USE_SECONDS } from './signing-key-file.js'
import { SigningKeys } from './signing-keys.js'

class JwksAnswer {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'string' } },
    example: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: '…', alg: ALGORITHM, use: 'sig' }],
  })
  keys!: Record<string, string>[]
}

const JwksDocs = () =>
  Documented({
    summary: 'The public keys of access tokens',
    description:
      'JSON Web Key Set (RFC 7517) for other backends: the next key, the current one, and retired ones whose tokens may ' +
      'still be valid. Cache it for ten minutes at most.',
    status: 200,
    answer: 'The keys',
    type: JwksAnswer,
  })

@ApiTags('Keys')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** The public keys for verifying access tokens (RFC 7517). */
  @Public()
  @Get('jwks.json')
  @JwksDocs()
  @Header('Cache-Control', `public, max-age=${PUBLISH_BEFORE_USE_SECONDS}`)
  list() {
    return {
      keys: this.keys.published().map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid,
        alg: ALGORITHM,
        use: 'sig',
      })),
    }
  }
}
