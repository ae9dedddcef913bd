import { Controller, Get, Header } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { JwksDocs } from './jwks.dto.js'
import { PUBLISH_BEFORE_USE_SECONDS } from './key-set.js'
import { Public } from './public.decorator.js'
import { SigningKeys } from './signing-keys.js'

@ApiTags('Keys')
@Controller('.well-known')
export class JwksController {
  constructor(private readonly keys: SigningKeys) {}

  /** The public keys that access tokens are verified with (RFC 7517). */
  @Public()
  @Get('jwks.json')
  @JwksDocs()
  @Header('Cache-Control', `public, max-age=${PUBLISH_BEFORE_USE_SECONDS}`)
  list() {
    return {
      keys: this.keys.published().map(({ kid, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid,
        alg: 'ES256',
        use: 'sig',
      })),
    }
  }
}
