import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsBoolean, IsOptional, IsString, Matches, MaxLength, registerDecorator } from 'class-validator'
import { DEVICE_ID_FORM, type DeviceId } from '../../anomalies/device-id.js'
import { BODY_REFUSALS, Documented } from '../../http/documented.js'
import { LoginAnswer } from '../login/login.dto.js'
import type { FactorProof } from './factor-check.js'

/** Six digits, with the spaces that apps show. A recovery code has 16 letters, and what stands between them. */
const MAX_CODE_LENGTH = 32
/** Ours have 43 characters; whether one is valid, only the database knows. */
const MAX_CHALLENGE_LENGTH = 100

/** For the first of several optional fields: refuses a body without exactly one of them. */
function IsOnlyOneOf(...fields: readonly string[]): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isOnlyOneOf',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (_, context) => {
          const body = context?.object as Readonly<Record<string, unknown>>
          return fields.filter(field => body[field] !== undefined).length === 1
        },
        defaultMessage: () => `exactly one of ${fields.join(', ')} is required`,
      },
    })
}

export class SecondFactorBody implements FactorProof {
  @ApiProperty({ type: String, maxLength: MAX_CHALLENGE_LENGTH, description: 'Of `SECOND_FACTOR_REQUIRED`' })
  @IsOnlyOneOf('code', 'recoveryCode')
  @IsString()
  @MaxLength(MAX_CHALLENGE_LENGTH)
  challenge!: string

  @ApiPropertyOptional({
    type: String,
    maxLength: MAX_CODE_LENGTH,
    example: '123456',
    description: 'Of the authenticator app',
  })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  code?: string

  @ApiPropertyOptional({ type: String, maxLength: MAX_CODE_LENGTH, example: '7K3M-9XQ2-VB4N-H8TE' })
  @IsOptional()
  @IsString()
  @MaxLength(MAX_CODE_LENGTH)
  recoveryCode?: string

  @ApiPropertyOptional({
    type: Boolean,
    default: false,
    description: 'Main site: not to ask this browser for a second factor for 30 days',
  })
  @IsOptional()
  @IsBoolean()
  rememberDevice?: boolean

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    minLength: 43,
    maxLength: 43,
    description: 'As at `POST /api/login`',
  })
  @IsOptional()
  @Matches(DEVICE_ID_FORM, { message: 'deviceId must be one that an earlier login answered' })
  deviceId?: DeviceId | null
}

export const SecondFactorDocs = () =>
  Documented({
    summary: 'Log in: the second step',
    description:
      'Completes a login that `POST /api/login` has answered with 401 `SECOND_FACTOR_REQUIRED`. That answer has the members ' +
      '`challenge`, and `methods`: what the user can use here, of `totp`, `passkey` and `recovery`. The challenge is good for ' +
      'five minutes and five tries, from the same origin and network; then the answer is `CHALLENGE_EXPIRED`, and the login ' +
      'begins again. Each code counts once. With `rememberDevice` the main site also gets the cookie ' +
      '`__Host-remembered-device`. Wrong codes count like wrong passwords.',
    status: 200,
    answer: 'Logged in, as by `POST /api/login`',
    type: LoginAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'SECOND_FACTOR_INVALID',
      'CHALLENGE_EXPIRED',
      'INVALID_CREDENTIALS',
      'TOO_MANY_ATTEMPTS',
      'MAIN_ORIGIN_REQUIRED',
      'CROSS_SITE_REFUSED',
      'TOO_BUSY',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })
