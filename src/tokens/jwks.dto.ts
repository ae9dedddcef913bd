import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../http/documented.js'

class JwksAnswer {
  @ApiProperty({
    type: 'array',
    items: { type: 'object', additionalProperties: { type: 'string' } },
    example: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: '…', alg: 'ES256', use: 'sig' }],
  })
  keys!: Record<string, string>[]
}

export const JwksDocs = () =>
  Documented({
    summary: 'The public keys of access tokens',
    description:
      'JSON Web Key Set (RFC 7517) for other backends: the next key, the current one, and retired ones whose tokens may ' +
      'still be valid. Cache it for ten minutes at most.',
    status: 200,
    answer: 'The keys',
    type: JwksAnswer,
  })
