import { Body, Controller, Get, Post, Query } from '@nestjs/common'
import { ApiOperation, ApiTags } from '@nestjs/swagger'
import { type DeviceId, SentDeviceId } from '../anomalies/known-devices.js'
import { Satellites } from '../cors/satellites.js'
import { Settings } from '../platform/config/settings.js'
import type { Branding } from '../platform/database/schema/columns.js'
import { ApiError } from '../platform/errors/api-error.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag, Nested, OneOf, PathOfSite, Text, ThirtyTwoBytes, Url } from '../platform/http/fields.js'
import { type Client, CurrentClient } from '../platform/http/request.js'
import { MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Public } from '../tokens/jwt.guard.js'
import {
  addressWithCode,
  HANDOFF_ACCESS,
  type HandoffAccess,
  HandoffCodes,
  HandoffRedemption,
  requireOrigin,
} from './handoff.js'
import { answerWithoutCookie, LoginAnswer } from './login.controller.js'

const EXAMPLE_OF_32_BYTES = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
/** The longest verifier that RFC 7636 §4.1 allows. */
const MAX_VERIFIER_LENGTH = 128
const MAX_CODE_LENGTH = 100
const MAX_ORIGIN_LENGTH = 300
/** The same as in packages/client/src/handoff.ts. */
const MAX_PATH_LENGTH = 2_000

const Origin = (description?: string) =>
  Text({ max: MAX_ORIGIN_LENGTH, example: 'https://shop.example.com', ...(description && { description }) })

class DestinationQuery {
  @Origin('The origin of the satellite') satellite!: string
}

class OriginQuery {
  @Origin() origin!: string
}

class HandoffBody {
  @Origin('The origin of the satellite') satellite!: string

  @ThirtyTwoBytes({
    sentence: 'must be the base64url SHA-256 of a verifier',
    example: EXAMPLE_OF_32_BYTES,
    description: 'base64url SHA-256 of the verifier that the page of the satellite keeps (RFC 7636, S256)',
  })
  challenge!: string

  @ThirtyTwoBytes({
    sentence: 'must be 32 bytes as base64url',
    example: EXAMPLE_OF_32_BYTES,
    description: '32 random bytes as base64url, by which that page recognises the answer',
  })
  state!: string

  @PathOfSite({
    max: MAX_PATH_LENGTH,
    example: '/reports?year=2026',
    optional: true,
    description:
      'The page of the satellite that takes the answer, as path and query; `/handoff-callback` if it is left out',
  })
  path?: string
}

class RedeemBody {
  @Text({
    max: MAX_CODE_LENGTH,
    description:
      '`mainstay` from the query of the address, if it has one, and right after it `code` from the part after `#`',
  })
  code!: string

  @Text({
    max: MAX_VERIFIER_LENGTH,
    example: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    description: 'The verifier from which the challenge was computed',
  })
  verifier!: string

  @SentDeviceId({ description: 'As for `POST /api/login`' }) deviceId?: DeviceId | null
}

const Issuer = () =>
  Url({ description: 'Whatever the main site sends back to the satellite names this issuer (RFC 9207)' })

class BrandingAnswer implements Branding {
  @Text() name!: string
  @Text({ nullable: true }) logoUrl!: string | null
  @Text({ example: '#1d4ed8' }) accent!: string
  @Text({ example: '#ffffff' }) background!: string
}

class HandoffDestinationAnswer {
  @Origin('The origin from the request') origin!: string
  @Text({ description: 'Its host, where the user is not invited' }) name!: string
  @Nested(BrandingAnswer, { nullable: true }) branding!: Branding | null

  @OneOf(HANDOFF_ACCESS, { description: '`access_denied`: people log in there with their password only' })
  access!: HandoffAccess

  @Flag({
    description: 'Whether the user has been logged in there in this way, and has not logged out since',
  })
  isKnown!: boolean

  @Text({ format: 'email', description: 'Who is logged in' }) email!: string
  @Issuer() iss!: string
}

class OriginAnswer {
  @Origin() origin!: string
  @Issuer() iss!: string
}

class HandoffAnswer {
  @Text({
    example: 'https://shop.example.com/handoff-callback#code=…&state=…&iss=…',
    description:
      'Where the browser goes now; `code` is valid for 60 s and once. With a `path` its first half is in the query, as `mainstay`',
  })
  redirect!: string
}

@ApiTags('Hand-off')
@Controller('api/handoff')
export class HandoffController {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly redemption: HandoffRedemption,
    private readonly satellites: Satellites,
    private readonly settings: Settings,
  ) {}

  @Get()
  @MainSite({ enrolled: true })
  @ApiOperation({
    summary: 'Get a satellite to which the caller can be handed off',
    description:
      'For the page of the main site that asks whether to go on to a satellite. Of a satellite where the user is not invited ' +
      'it gives only its host.',
  })
  @Answers(200, 'The satellite, and whether this user may use it', HandoffDestinationAnswer)
  @Refuses('SATELLITE_NOT_FOUND')
  async describe(
    @CurrentActor() actor: SessionActor,
    @Query() { satellite }: DestinationQuery,
  ): Promise<HandoffDestinationAnswer> {
    return { ...(await this.codes.describe(actor, satellite)), iss: this.settings.publicUrl }
  }

  /** Reads no store. */
  @Public()
  @Get('satellite')
  @ApiOperation({
    summary: 'Whether an origin is that of an active satellite',
    description:
      'For the login page of the main site, which must lead to satellites only. It reveals no more than a preflight from that ' +
      'origin does.',
  })
  @Answers(200, 'It is', OriginAnswer)
  @Refuses('SATELLITE_NOT_FOUND')
  requireSatellite(@Query() { origin }: OriginQuery): OriginAnswer {
    requireOrigin(origin)
    if (!this.satellites.has(origin)) throw new ApiError('SATELLITE_NOT_FOUND')
    return { origin, iss: this.settings.publicUrl }
  }

  @Post('codes')
  @MainSite({ enrolled: true })
  @ApiOperation({
    summary: 'Hand the login off to a satellite',
    description:
      'For pages of the main site, with a live main session. The address in the answer carries a code that only a page of that satellite ' +
      'can use, and only with the verifier that it has kept.',
  })
  @Answers(201, 'Where to send the browser', HandoffAnswer)
  @Refuses(
    'MAIN_ORIGIN_REQUIRED',
    'NOT_INVITED',
    'SATELLITE_SUSPENDED',
    'HANDOFF_DISABLED',
    'SATELLITE_NOT_FOUND',
  )
  async issueCode(@CurrentActor() actor: SessionActor, @Body() body: HandoffBody) {
    // Stricter than the guard, which lets clients without an Origin pass: only a page can be redirected.
    if (actor.client.origin !== this.settings.mainOrigin) throw new ApiError('MAIN_ORIGIN_REQUIRED')
    const code = await this.codes.issue(actor, body)
    return { redirect: addressWithCode(code, body, this.settings.publicUrl) }
  }

  @Public()
  @Post('redeem')
  @ApiOperation({
    summary: 'Log in on a satellite with a code from the main site',
    description:
      'Only from the origin that the code was made for. The session ends with the session of the main site that it comes from, at the latest. ' +
      'Any fault is refused with `HANDOFF_CODE_INVALID`, and the code stays usable. A code that is used again ends the session that it opened.',
  })
  @Answers(200, 'Logged in', LoginAnswer)
  @Refuses('HANDOFF_CODE_INVALID', 'TOO_BUSY')
  async redeem(@Body() body: RedeemBody, @CurrentClient() client: Client) {
    return answerWithoutCookie(await this.redemption.redeem(body, client), body.deviceId)
  }
}
