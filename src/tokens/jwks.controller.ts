import { ALGORITHM } from '@mainstay-auth/verify/token-rules'
import { Controller, Get, Header } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { Settings } from '../platform/config/settings.js'
import { Documented } from '../platform/http/endpoint.js'
import { Public } from './jwt.guard.js'
import { PUBLISH_BEFORE_USE_SECONDS, SigningKeys } from './signing-keys.js'

class JwksAnswer {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'string' } },
    example: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: '…', alg: ALGORITHM, use: 'sig' }],
  })
  keys!: Record<string, string>[]
}

class MetadataAnswer {
  @ApiProperty({ type: String, format: 'uri', description: '`iss` of every access token' })
  issuer!: string

  @ApiProperty({ type: String, format: 'uri' })
  jwks_uri!: string

  @ApiProperty({ type: [String], description: 'None: people log in on pages, not by OAuth' })
  response_types_supported!: string[]

  @ApiProperty({ type: [String], example: [ALGORITHM] })
  id_token_signing_alg_values_supported!: string[]
}

const MetadataDocs = (standard: string) =>
  Documented({
    summary: `Where the public keys are (${standard})`,
    description:
      'For libraries that are given an issuer and nothing else. We are no OAuth server: this names the keys and the algorithm.',
    status: 200,
    answer: 'The metadata',
    type: MetadataAnswer,
  })

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

const CACHED = `public, max-age=${PUBLISH_BEFORE_USE_SECONDS}`

@ApiTags('Keys')
@Controller('.well-known')
export class JwksController {
  constructor(
    private readonly keys: SigningKeys,
    private readonly settings: Settings,
  ) {}

  @Public()
  @Get('oauth-authorization-server')
  @MetadataDocs('RFC 8414')
  @Header('Cache-Control', CACHED)
  metadata() {
    return {
      issuer: this.settings.jwtIssuer,
      jwks_uri: new URL('/.well-known/jwks.json', this.settings.publicUrl).href,
      response_types_supported: [],
      id_token_signing_alg_values_supported: [ALGORITHM],
    }
  }

  @Public()
  @Get('openid-configuration')
  @MetadataDocs('OpenID Connect Discovery')
  @Header('Cache-Control', CACHED)
  openIdMetadata() {
    return this.metadata()
  }

  /** The public keys for verifying access tokens (RFC 7517). */
  @Public()
  @Get('jwks.json')
  @JwksDocs()
  @Header('Cache-Control', CACHED)
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
