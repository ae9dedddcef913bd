import { applyDecorators } from '@nestjs/common'
import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional, Matches } from 'class-validator'
import { BASE64URL_OF_32_BYTES } from '../platform/secrets/token-hash.js'

/** The field `deviceId` of a login; null and absent are the same to the server. */
export const IsDeviceId = (documented: { readonly example?: string; readonly description: string }) =>
  applyDecorators(
    ApiPropertyOptional({ type: String, nullable: true, minLength: 43, maxLength: 43, ...documented }),
    IsOptional(),
    Matches(BASE64URL_OF_32_BYTES, { message: 'deviceId must be one that an earlier login answered' }),
  )
