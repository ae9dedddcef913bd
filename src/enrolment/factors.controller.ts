import { Body, Controller, Delete, Get, Param, Patch, Post, Req, Res } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { MAX_CODE_LENGTH } from '../auth/factor-fields.dto.js'
import { type Passkey, PasskeySites } from '../factors/passkeys.js'
import {
  clearRememberedDeviceCookie,
  presentedRememberedDevice,
  RememberedDevices,
} from '../factors/remembered-devices.js'
import { totpUri } from '../factors/totp.js'
import { requiredFactorOf, UserFactors } from '../factors/user-factors.js'
import { NewPasskeyResponse } from '../factors/webauthn.js'
import { SiteUrls } from '../mail/site-urls.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Id, Instant, ListOf, Nested, Text, TextsByName, Whole } from '../platform/http/fields.js'
import { IdInPath } from '../platform/http/request.js'
import { ContainsDamage, ExemptFromWriteLimit, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Name } from '../users/name-text.js'
import { Users } from '../users/users.js'
import { FactorChanges, PasskeyEnrolmentService, TotpEnrolmentService } from './enrolment.js'

class TotpAnswer {
  @Instant() confirmedAt!: Date
}

class SecondFactorAnswer {
  @Nested(TotpAnswer, { nullable: true, description: 'The authenticator app; null without one' })
  totp!: TotpAnswer | null

  @Whole({ description: 'How many' }) passkeys!: number
  @Whole({ description: 'Unused ones' }) recoveryCodesLeft!: number
  @Flag({ description: 'False for users who have given up their password' }) hasPassword!: boolean
  @Flag({ description: 'Whether the account requires a second factor of them' }) required!: boolean
  @Instant({ nullable: true, description: 'From when on' }) requiredFrom!: Date | null
  @Flag({ description: 'Whether they can do nothing else before they have one' }) mustEnrol!: boolean
}

@ApiTags('Second factors')
@Controller('api/second-factor')
export class SecondFactorOverviewController {
  constructor(
    private readonly users: Users,
    private readonly factors: UserFactors,
    private readonly database: Database,
  ) {}

  @Get()
  @MainSite()
  @ApiOperation({ summary: 'List your login methods' })
  @Answers(200, 'Their second factors, and whether they have to have one', SecondFactorAnswer)
  async show(@CurrentActor() { userId }: SessionActor): Promise<SecondFactorAnswer> {
    const user = await this.users.find(userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const { totpConfirmedAt, ...counts } = await this.factors.find(userId)
    return {
      totp: totpConfirmedAt && { confirmedAt: totpConfirmedAt },
      ...counts,
      hasPassword: user.passwordHash !== null,
      ...(await this.database.run(db => requiredFactorOf(db, userId))),
      mustEnrol: user.mustEnrol,
    }
  }
}

class TotpCodeBody {
  @Text({ min: 1, max: MAX_CODE_LENGTH, example: '123456' }) code!: string
}

class TotpSecretAnswer {
  @Text({ description: 'Base32, to be typed', example: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' }) secret!: string

  @Text({
    description: 'The same, as a QR code contains it',
    example:
      'otpauth://totp/www.example.com:owner%40example.com?secret=JBSWY3DPEHPK3PXP&issuer=www.example.com',
  })
  uri!: string
}

class NewRecoveryCodesAnswer {
  @ListOf(String, {
    nullable: true,
    description: 'Ten new ones, which are not shown again; null when the user still has some',
    example: ['7K3M-9XQ2-VB4N-H8TE'],
  })
  recoveryCodes!: readonly string[] | null
}

@ApiTags('Second factors')
@Controller('api/second-factor/totp')
@MainSite({ reauthenticated: true })
export class TotpController {
  constructor(
    private readonly enrolment: TotpEnrolmentService,
    private readonly urls: SiteUrls,
  ) {}

  @ContainsDamage()
  @Post()
  @ApiOperation({
    summary: 'Request a secret for an authenticator app',
    description:
      'RFC 6238: SHA-1, 6 digits, 30 s. It counts once `POST /api/second-factor/totp/confirm` has seen a code of it, and ' +
      'replaces one that was never confirmed.',
  })
  @Answers(201, 'The secret, which is not shown again', TotpSecretAnswer)
  @Refuses('TOTP_EXISTS')
  async begin(@CurrentActor() actor: SessionActor) {
    const { secret, email } = await this.enrolment.begin(actor)
    return { secret, uri: totpUri(secret, { issuer: this.urls.siteName, label: email }) }
  }

  @ContainsDamage()
  @Post('confirm')
  @ApiOperation({
    summary: 'Confirm the authenticator app by a code',
    description:
      'From then on a password alone does not log the user in. If it is their first factor, their other sessions end, and what ' +
      'may have been started in them is cancelled: another address or owner, resets of others. This session counts as one with two factors. The user is mailed.',
  })
  @Answers(200, 'The app is set up', NewRecoveryCodesAnswer)
  @Refuses('SECOND_FACTOR_INVALID', 'TOTP_NOT_STARTED', 'TOTP_EXISTS')
  async confirm(@CurrentActor() actor: SessionActor, @Body() { code }: TotpCodeBody) {
    return { recoveryCodes: await this.enrolment.confirm(actor, code) }
  }

  @ContainsDamage()
  @Delete()
  @ApiOperation({
    summary: 'Remove the authenticator app',
    description: 'All remembered devices are forgotten. Without any other factor the recovery codes go too.',
  })
  @Answers(204, 'It is removed, or there was none')
  @Refuses('SECOND_FACTOR_NEEDED', 'LAST_WAY_IN')
  remove(@CurrentActor() actor: SessionActor) {
    return this.enrolment.remove(actor)
  }
}

class RecoveryCodesAnswer {
  @ListOf(String, { description: 'Ten, which are not shown again', example: ['7K3M-9XQ2-VB4N-H8TE'] })
  recoveryCodes!: readonly string[]
}

@ApiTags('Second factors')
@Controller('api/second-factor/recovery-codes')
export class RecoveryCodesController {
  constructor(private readonly factorChanges: FactorChanges) {}

  @ContainsDamage()
  @Post()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Make new recovery codes',
    description:
      'Each logs in once in place of another second factor. The earlier ones stop working, and all remembered devices are ' +
      'forgotten. The user is mailed.',
  })
  @Answers(201, 'The codes', RecoveryCodesAnswer)
  @Refuses('SECOND_FACTOR_MISSING')
  async replace(@CurrentActor() actor: SessionActor) {
    return { recoveryCodes: await this.factorChanges.replaceRecoveryCodes(actor) }
  }
}

class RememberedDeviceAnswer {
  @Id() id!: string
  @Text({ description: 'As it identified itself', example: 'Firefox on Linux' }) name!: string
  @Instant() createdAt!: string
  @Instant({ description: 'The latest login without a second factor' }) lastUsedAt!: string

  @Instant({ description: 'When a second factor is asked for again; use does not extend it' })
  expiresAt!: string

  @Flag({ description: 'Whether it is the browser that asks' }) isCurrent!: boolean
}

class RememberedDevicesAnswer {
  @ListOf(RememberedDeviceAnswer, { description: 'The newest first' }) devices!: RememberedDeviceAnswer[]
}

@ApiTags('Second factors')
@Controller('api/remembered-devices')
@MainSite()
export class RememberedDevicesController {
  constructor(
    private readonly devices: RememberedDevices,
    private readonly factorChanges: FactorChanges,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the browsers that are not asked for a second factor' })
  @Answers(200, 'At most 20', RememberedDevicesAnswer)
  async list(@CurrentActor() { userId }: SessionActor, @Req() request: FastifyRequest) {
    return { devices: await this.devices.list(userId, presentedRememberedDevice(request)) }
  }

  @Delete(':id')
  @ExemptFromWriteLimit()
  @ApiOperation({
    summary: 'Ask a browser for a second factor again',
    description: 'Safe to repeat; the same for an id that is unknown.',
  })
  @Answers(204, 'It is not remembered any more')
  async forget(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    await this.factorChanges.forgetDevices(actor, id)
  }

  @Delete()
  @ExemptFromWriteLimit()
  @ApiOperation({ summary: 'Ask every browser for a second factor again' })
  @Answers(204, 'None is remembered any more; the cookie of this one is cleared')
  async forgetAll(@CurrentActor() actor: SessionActor, @Res({ passthrough: true }) reply: FastifyReply) {
    await this.factorChanges.forgetDevices(actor)
    clearRememberedDeviceCookie(reply)
  }
}

class NewPasskeyBody {
  @NewPasskeyResponse() response!: RegistrationResponseJSON
  @Name({ optional: true }) name?: string
}

class PasskeyNameBody {
  @Name() name!: string
}

class PasskeyAnswer {
  @Id() id!: string
  @Text({ example: 'Bitwarden' }) name!: string
  @Instant() createdAt!: Date
  @Instant({ nullable: true }) lastUsedAt!: Date | null
  @Flag({ description: 'Whether it may be on several devices' }) isBackupEligible!: boolean
  @Flag({ description: 'Whether it is on several devices, or in a cloud' }) isBackedUp!: boolean
  @ListOf(String, { example: ['internal', 'hybrid'] }) transports!: readonly string[]
}

class PasskeysAnswer {
  @ListOf(PasskeyAnswer) passkeys!: PasskeyAnswer[]
  @Text({ example: 'example.com', description: 'The domain that they belong to' }) rpId!: string
}

class CreationOptionsAnswer {
  @Text() challenge!: string
  @TextsByName() rp!: object
  @TextsByName() user!: object
}

class PasskeyAddedAnswer {
  @Nested(PasskeyAnswer) passkey!: PasskeyAnswer

  @ListOf(String, { nullable: true, description: 'Shown this once; null when the user has some already' })
  recoveryCodes!: readonly string[] | null
}

class PasskeyRemovedAnswer {
  @Text() rpId!: string
  @Text() credentialId!: string
  @Text({ description: 'The user handle, base64url' }) userId!: string
  @ListOf(String, { description: 'The credentials that the user still has' }) remaining!: readonly string[]
}

/** A passkey as its user sees it. */
function asPasskeyAnswer(passkey: Passkey): PasskeyAnswer {
  const { id, name, createdAt, lastUsedAt, isBackupEligible, isBackedUp, transports } = passkey
  return { id, name, createdAt, lastUsedAt, isBackupEligible, isBackedUp, transports }
}

@ApiTags('Second factors')
@Controller('api/passkeys')
export class PasskeysController {
  constructor(
    private readonly enrolment: PasskeyEnrolmentService,
    private readonly sites: PasskeySites,
    private readonly urls: SiteUrls,
  ) {}

  @Get()
  @MainSite()
  @ApiOperation({ summary: 'List your passkeys' })
  @Answers(200, 'The passkeys, oldest first', PasskeysAnswer)
  async list(@CurrentActor() actor: SessionActor) {
    return { passkeys: (await this.enrolment.list(actor)).map(asPasskeyAnswer), rpId: this.sites.rpId }
  }

  @ContainsDamage()
  @Post('options')
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Get the options for navigator.credentials.create()',
    description: 'PublicKeyCredentialCreationOptionsJSON, for this session, within 5 minutes.',
  })
  @Answers(200, 'The options', CreationOptionsAnswer)
  @Refuses('TOO_MANY_PASSKEYS')
  options(@CurrentActor() actor: SessionActor) {
    return this.enrolment.creationOptions(actor, this.urls.siteName)
  }

  @ContainsDamage()
  @Post()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Add a passkey',
    description:
      'The first second factor of a user ends their other sessions, and cancels what may have been started in them: another ' +
      'address or owner, resets of others. Users who already have one must have used it ' +
      'recently (`STEP_UP_REQUIRED`). ' +
      'Without a name, the passkey is named after its maker.',
  })
  @Answers(201, 'The passkey is added, and the user is notified by mail', PasskeyAddedAnswer)
  @Refuses('PASSKEY_INVALID', 'TOO_MANY_PASSKEYS', 'PASSKEY_EXISTS')
  async add(@CurrentActor() actor: SessionActor, @Body() { response, name }: NewPasskeyBody) {
    const { passkey, recoveryCodes } = await this.enrolment.add(actor, response, name)
    return { passkey: asPasskeyAnswer(passkey), recoveryCodes }
  }

  @Patch(':id')
  @MainSite({ reauthenticated: true })
  @ApiOperation({ summary: 'Rename a passkey' })
  @Answers(200, 'The passkey with its new name', PasskeyAnswer)
  async rename(
    @CurrentActor() actor: SessionActor,
    @Param('id', IdInPath) id: string,
    @Body() { name }: PasskeyNameBody,
  ) {
    return asPasskeyAnswer(await this.enrolment.rename(actor, id, name))
  }

  @ContainsDamage()
  @Delete(':id')
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Remove a passkey',
    description:
      'The answer is for `PublicKeyCredential.signalUnknownCredential` and `signalAllAcceptedCredentials`. The other sessions end, and remembered devices are forgotten. ' +
      'A user without a password keeps two passkeys, or one and recovery codes (`LAST_WAY_IN`).',
  })
  @Answers(200, 'The passkey is removed, and the user is notified by mail', PasskeyRemovedAnswer)
  @Refuses('LAST_WAY_IN', 'SECOND_FACTOR_NEEDED')
  remove(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.enrolment.remove(actor, id)
  }
}

@ApiTags('Passwords')
@Controller('api/password')
export class PasswordRemovalController {
  constructor(private readonly factorChanges: FactorChanges) {}

  @Delete()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Remove your password',
    description:
      'For users with two passkeys, or with one and recovery codes; `LAST_WAY_IN` for others. The other sessions end, and a pending change of address or owner is cancelled. A link for a forgotten password brings one back.',
  })
  @Answers(204, 'The password is removed, and the user is notified by mail')
  @Refuses('LAST_WAY_IN')
  remove(@CurrentActor() actor: SessionActor): Promise<void> {
    return this.factorChanges.removePassword(actor)
  }
}
