import { ApiProperty } from '@nestjs/swagger'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Passkey } from '../../factors/passkeys.js'
import { IsNewPasskeyResponse } from '../../factors/webauthn.js'
import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'
import { IsName } from '../../users/name-text.js'

export class NewPasskeyBody {
  @IsNewPasskeyResponse()
  response!: RegistrationResponseJSON

  @IsName({ required: false })
  name?: string
}

export class PasskeyNameBody {
  @IsName({ required: true })
  name!: string
}

export class PasskeyAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String, example: 'Bitwarden' })
  name!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: Date

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  lastUsedAt!: Date | null

  @ApiProperty({ type: Boolean, description: 'Whether it may be on several devices' })
  isBackupEligible!: boolean

  @ApiProperty({ type: Boolean, description: 'Whether it is on several devices, or in a cloud' })
  isBackedUp!: boolean

  @ApiProperty({ type: [String], example: ['internal', 'hybrid'] })
  transports!: readonly string[]
}

class PasskeysAnswer {
  @ApiProperty({ type: [PasskeyAnswer] })
  passkeys!: PasskeyAnswer[]

  @ApiProperty({ type: String, example: 'example.com', description: 'The domain that they belong to' })
  rpId!: string
}

class CreationOptionsAnswer {
  @ApiProperty({ type: String })
  challenge!: string

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  rp!: object

  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' } })
  user!: object
}

class PasskeyAddedAnswer {
  @ApiProperty({ type: PasskeyAnswer })
  passkey!: PasskeyAnswer

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Shown this once; null when the user has some already',
  })
  recoveryCodes!: readonly string[] | null
}

class PasskeyRemovedAnswer {
  @ApiProperty({ type: String })
  rpId!: string

  @ApiProperty({ type: String })
  credentialId!: string

  @ApiProperty({ type: String, description: 'The user handle, base64url' })
  userId!: string

  @ApiProperty({ type: [String], description: 'The credentials that the user still has' })
  remaining!: readonly string[]
}

/** A passkey as its user sees it. */
export function asPasskeyAnswer(passkey: Passkey): PasskeyAnswer {
  const { id, name, createdAt, lastUsedAt, isBackupEligible, isBackedUp, transports } = passkey
  return { id, name, createdAt, lastUsedAt, isBackupEligible, isBackedUp, transports }
}

export const ListPasskeysDocs = () =>
  Documented({
    summary: 'List your passkeys',
    status: 200,
    answer: 'The passkeys, oldest first',
    type: PasskeysAnswer,
    refusals: ['DATABASE_UNAVAILABLE'],
  })

const CHANGE_REFUSALS = ['DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'] as const

export const PasskeyCreationDocs = () =>
  Documented({
    summary: 'Get the options for navigator.credentials.create()',
    description: 'PublicKeyCredentialCreationOptionsJSON, for this session, within 5 minutes.',
    status: 200,
    answer: 'The options',
    type: CreationOptionsAnswer,
    refusals: ['TOO_MANY_PASSKEYS', ...CHANGE_REFUSALS],
  })

export const AddPasskeyDocs = () =>
  Documented({
    summary: 'Add a passkey',
    description:
      'The first second factor of a user ends their other sessions, and cancels what may have been started in them: another ' +
      'address or owner, resets of others. Users who already have one must have used it ' +
      'recently (`STEP_UP_REQUIRED`). ' +
      'Without a name, the passkey is named after its maker.',
    status: 201,
    answer: 'The passkey is added, and the user is told by mail',
    type: PasskeyAddedAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'PASSKEY_INVALID',
      'TOO_MANY_PASSKEYS',
      'PASSKEY_EXISTS',
      ...CHANGE_REFUSALS,
    ],
  })

export const RenamePasskeyDocs = () =>
  Documented({
    summary: 'Rename a passkey',
    status: 200,
    answer: 'The passkey with its new name',
    type: PasskeyAnswer,
    refusals: [...BODY_REFUSALS, 'NOT_FOUND', 'DATABASE_UNAVAILABLE'],
  })

export const RemovePasskeyDocs = () =>
  Documented({
    summary: 'Remove a passkey',
    description:
      'The answer is for `PublicKeyCredential.signalUnknownCredential` and `signalAllAcceptedCredentials`. The other sessions end, and remembered devices are forgotten. ' +
      'A user without a password keeps two passkeys, or one and recovery codes (`LAST_WAY_IN`).',
    status: 200,
    answer: 'The passkey is removed, and the user is told by mail',
    type: PasskeyRemovedAnswer,
    refusals: ['NOT_FOUND', 'LAST_WAY_IN', 'SECOND_FACTOR_NEEDED', ...CHANGE_REFUSALS],
  })

export const RemovePasswordDocs = () =>
  Documented({
    summary: 'Remove your password',
    description:
      'For users with two passkeys, or with one and recovery codes; `LAST_WAY_IN` for others. The other sessions end, and a pending change of address or owner is cancelled. A link for a forgotten password brings one back.',
    status: 204,
    answer: 'The user has no password any more, and is told by mail',
    refusals: ['LAST_WAY_IN', ...CHANGE_REFUSALS],
  })
