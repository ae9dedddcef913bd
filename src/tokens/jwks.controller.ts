import { ALGORITHM } from '@mainstay-auth/verify/token-rules'
import { applyDecorators, Controller, Get, Header } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import { Settings } from '../platform/config/settings.js'
import { Answers } from '../platform/http/endpoint.js'
import { ListOf, Url } from '../platform/http/fields.js'
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
  @Url({ description: '`iss` of every access token' }) issuer!: string
  @Url() jwks_uri!: string

  @ListOf(String, { description: 'None: users log in on pages, not through OAuth' })
  response_types_supported!: string[]

  @ListOf(String, { example: [ALGORITHM] }) id_token_signing_alg_values_supported!: string[]
}

const DescribesMetadata = (standard: string) =>
  applyDecorators(
    ApiOperation({
      summary: `Where the public keys are (${standard})`,
      description:
        'For libraries that are given an issuer and nothing else. This is not an OAuth server: it names the keys and the algorithm.',
    }),
    Answers(200, 'The metadata', MetadataAnswer),
  )

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
  @DescribesMetadata('RFC 8414')
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
  @DescribesMetadata('OpenID Connect Discovery')
  @Header('Cache-Control', CACHED)
  openIdMetadata() {
    return this.metadata()
  }

  @Public()
  @Get('jwks.json')
  @ApiOperation({
    summary: 'The public keys of access tokens',
    description:
      'JSON Web Key Set (RFC 7517) for other backends: the next key, the current one, and retired ones whose tokens may ' +
      'still be valid. Cache it for ten minutes at most.',
  })
  @Answers(200, 'The keys', JwksAnswer)
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
