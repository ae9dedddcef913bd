import { applyDecorators, Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger'
import { Type } from 'class-transformer'
import {
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  IsUrl,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator'
import {
  LOGIN_MODES,
  type LoginMode,
  SECOND_FACTOR_PLACES,
  type SecondFactorPlace,
} from '../cors/satellite.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { IdInPath } from '../platform/http/request.js'
import { IfPresent, named } from '../platform/http/validation.js'
import { permissionsOf } from '../platform/permissions.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { IsName } from '../users/name-text.js'
import { proofChallenge } from './proof.js'
import {
  type ProofRow,
  type RegisteredSatellite,
  type SatelliteChange,
  suspensionAfter,
} from './registered-satellites.js'
import { SatelliteRegistry } from './registry.js'
import { SatelliteVerification } from './verification.js'

const MAX_ORIGIN_LENGTH = 300
const MAX_LOGO_URL_LENGTH = 500
/**
 * Pages put the logo's origin into their policy. The platform reads some characters, such as the Greek question mark, as
 * ones that separate directives there.
 */
const HAS_PLAIN_ORIGIN = {
  name: 'hasPlainOrigin',
  validator: {
    validate: (value: string) => /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(URL.parse(value)?.origin ?? ''),
  },
}
const SECONDS = { min: 10 * 60, max: 30 * 24 * 60 * 60 }

class SatelliteBody {
  @ApiProperty({
    type: String,
    maxLength: MAX_ORIGIN_LENGTH,
    example: 'https://shop.example.net',
    description:
      'As browsers send it; of a preview satellite a pattern, such as `https://*.preview.example.net`',
  })
  @IsString()
  @MaxLength(MAX_ORIGIN_LENGTH)
  origin!: string

  @IsName({ required: true })
  name!: string

  @ApiPropertyOptional({ enum: ['production', 'preview'], default: 'production' })
  @IfPresent()
  @IsIn(['production', 'preview'])
  kind?: 'production' | 'preview'
}

class CeilingBody {
  @ApiProperty({ type: Boolean })
  @IsBoolean()
  dataEntry!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  viewReports!: boolean
}

class BrandingBody {
  @IsName({ required: true })
  name!: string

  @ApiProperty({ type: String, format: 'uri', nullable: true, maxLength: MAX_LOGO_URL_LENGTH })
  @ValidateIf((_, value) => value !== null)
  @IsUrl({ protocols: ['https'], require_protocol: true, disallow_auth: true }, named('NOT_A_LOGO'))
  @Matches(/^\P{C}+$/u, named('NOT_A_LOGO'))
  @ValidateBy(HAS_PLAIN_ORIGIN)
  @MaxLength(MAX_LOGO_URL_LENGTH)
  logoUrl!: string | null

  @ApiProperty({ type: String, example: '#1d4ed8', description: 'Colour of buttons and links' })
  @Matches(/^#[0-9a-f]{6}$/, named('NOT_A_COLOR'))
  accent!: string

  @ApiProperty({ type: String, example: '#f8fafc', description: 'Background colour of the page' })
  @Matches(/^#[0-9a-f]{6}$/, named('NOT_A_COLOR'))
  background!: string
}

class SatelliteChangeBody {
  @IsName({ required: false })
  name?: string

  @ApiPropertyOptional({ type: CeilingBody, description: 'The most that its sessions may do' })
  @IfPresent()
  @IsObject()
  @ValidateNested()
  @Type(() => CeilingBody)
  ceiling?: CeilingBody

  @ApiPropertyOptional({ enum: LOGIN_MODES })
  @IfPresent()
  @IsIn(LOGIN_MODES)
  loginMode?: LoginMode

  @ApiPropertyOptional({
    enum: SECOND_FACTOR_PLACES,
    description:
      'Whether users may type their second factor on its pages. With `handoff`, those who have one log in through the main site',
  })
  @IfPresent()
  @IsIn(SECOND_FACTOR_PLACES)
  secondFactor?: SecondFactorPlace

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    minimum: SECONDS.min,
    maximum: SECONDS.max,
    description: 'How long sessions live that begin from now on; null is what the service has for all',
  })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsInt()
  @Min(SECONDS.min)
  @Max(SECONDS.max)
  sessionSeconds?: number | null

  @ApiPropertyOptional({ type: BrandingBody, nullable: true })
  @ValidateIf((_, value) => value !== undefined && value !== null)
  @IsObject()
  @ValidateNested()
  @Type(() => BrandingBody)
  branding?: BrandingBody | null
}

class DnsProof {
  @ApiProperty({ type: String, example: '_mainstay-challenge.shop.example.net' })
  name!: string

  @ApiProperty({ type: String, description: 'The content of its TXT record' })
  value!: string
}

class FileProof {
  @ApiProperty({ type: String, format: 'uri' })
  url!: string

  @ApiProperty({ type: String })
  content!: string
}

class ProofAnswer {
  @ApiProperty({ type: DnsProof })
  dns!: DnsProof

  @ApiProperty({ type: FileProof, nullable: true, description: 'Null for preview satellites' })
  file!: FileProof | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'Until when it counts for a pending satellite',
  })
  expiresAt!: string

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it was last found' })
  provenAt!: string | null

  @ApiProperty({
    enum: ['dns', 'file', 'operator'],
    nullable: true,
    description:
      'Where it was last found; `operator`: an operator vouches for the satellite, and nothing is looked up',
  })
  method!: string | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when the daily check has not found it',
  })
  failingSince!: string | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When an active satellite is suspended if it stays missing; null when it is not missing',
  })
  suspendAt!: string | null
}

class SatelliteAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String })
  origin!: string

  @ApiProperty({ type: String })
  name!: string

  @ApiProperty({ enum: ['production', 'preview'] })
  kind!: string

  @ApiProperty({ enum: ['pending', 'active', 'suspended'] })
  state!: string

  @ApiProperty({
    enum: ['account', 'check', 'operator'],
    nullable: true,
    description:
      'Who has suspended it: somebody of the account, the daily check that did not find the proof, or an operator; null unless it is suspended',
  })
  suspendedBy!: string | null

  @ApiProperty({ type: CeilingBody })
  ceiling!: CeilingBody

  @ApiProperty({ enum: LOGIN_MODES })
  loginMode!: string

  @ApiProperty({ enum: SECOND_FACTOR_PLACES })
  secondFactor!: string

  @ApiProperty({ type: Number, nullable: true })
  sessionSeconds!: number | null

  @ApiProperty({ type: BrandingBody, nullable: true })
  branding!: object | null

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string

  @ApiProperty({ type: ProofAnswer })
  proof!: ProofAnswer
}

class SatellitesAnswer {
  @ApiProperty({ type: [SatelliteAnswer], description: 'Oldest first' })
  satellites!: SatelliteAnswer[]
}

const Verifies = () =>
  applyDecorators(
    ApiOperation({
      summary: 'Prove a satellite',
      description:
        'Looks for the record and the file now, and activates the satellite, or resumes a suspended one that no operator has suspended. `PROOF_NOT_FOUND` says in ' +
        '`errors` what was looked up and what came back. An origin moves here when the account that had it can no longer prove it.',
    }),
    Answers(200, 'The active satellite', SatelliteAnswer),
    Refuses('SATELLITE_SUSPENDED', 'PROOF_NOT_FOUND', 'PROOF_EXPIRED', 'ORIGIN_TAKEN'),
  )

@ApiTags('Satellites')
@Controller('api/satellites')
@MainSite({ permission: 'accountSettings' })
export class SatellitesController {
  constructor(
    private readonly registry: SatelliteRegistry,
    private readonly verification: SatelliteVerification,
    private readonly reauthentication: Reauthentication,
  ) {}

  @Get()
  @ApiOperation({ summary: 'List the satellites of the account' })
  @Answers(200, 'All of them, with what proves each', SatellitesAnswer)
  async list(@CurrentActor() { accountId }: SessionActor) {
    return { satellites: (await this.registry.list(accountId)).map(asAnswer) }
  }

  @Post()
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Add a satellite',
    description:
      'It is `pending`, and its pages are refused, until the account has proven that the host is its own: by the TXT record or the ' +
      'file in `proof`. `https`, port 443 and a name of its own are required; names that many share, such as `github.io`, and IP addresses are refused.',
  })
  @Answers(201, 'Added; `proof` says what to publish', SatelliteAnswer)
  @Refuses('ORIGIN_TAKEN', 'TOO_MANY_SATELLITES', 'PLAN_LIMIT_REACHED')
  async add(
    @CurrentActor() actor: SessionActor,
    @Body() { origin, name, kind = 'production' }: SatelliteBody,
  ) {
    return asAnswer(await this.registry.add(actor, { origin, name, kind }))
  }

  @Get(':id')
  @ApiOperation({ summary: 'Get one satellite' })
  @Answers(200, 'The satellite', SatelliteAnswer)
  async find(@CurrentActor() { accountId }: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.registry.find(accountId, id))
  }

  /**
   * Where passwords or codes may be typed, that site's server sees them, so an attacker at an unlocked browser
   * must not be able to allow it.
   */
  @Patch(':id')
  @ApiOperation({
    summary: 'Change a satellite',
    description:
      'Changes what the body has and nothing else. Live on every replica within two seconds; permissions of running sessions change at their next refresh. ' +
      'A re-authentication is needed to let users type second factors there, or passwords where they log in by hand-off.',
  })
  @Answers(200, 'The changed satellite', SatelliteAnswer)
  @Refuses('REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED')
  async change(
    @CurrentActor() actor: SessionActor,
    @Param('id', IdInPath) id: string,
    @Body() body: SatelliteChangeBody,
  ) {
    if (await this.allowsTyping(actor, id, body)) await this.reauthentication.requireLookingUpFactor(actor)
    return asAnswer(await this.registry.change(actor, id, satelliteChangeOf(body)))
  }

  @ContainsDamage()
  @Delete(':id')
  @MainSite({ reauthenticated: true })
  @ApiOperation({
    summary: 'Remove a satellite',
    description: 'Its pages are refused within two seconds, and its sessions cannot be refreshed any longer.',
  })
  @Answers(204, 'Removed')
  @Refuses('SATELLITE_SUSPENDED')
  remove(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.registry.remove(actor, id)
  }

  @Post(':id/verify')
  @Verifies()
  async verify(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.verification.verify(actor, id))
  }

  @ContainsDamage()
  @Post(':id/suspend')
  @ApiOperation({
    summary: 'Suspend a satellite',
    description:
      'Its pages are refused within two seconds, and the refresh of its sessions is 401. Everybody else notices nothing.',
  })
  @Answers(204, 'Suspended')
  @Refuses('SATELLITE_PENDING')
  suspend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.registry.suspend(actor, id)
  }

  /** Needs the same proof as at first: an account that has lost the host meanwhile does not get it back. */
  @Post(':id/resume')
  @Verifies()
  async resume(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.verification.verify(actor, id))
  }

  private async allowsTyping(
    { accountId }: SessionActor,
    id: string,
    { loginMode = 'handoff', secondFactor }: SatelliteChangeBody,
  ): Promise<boolean> {
    if (secondFactor === 'allowed') return true
    const { satellite } = await this.registry.find(accountId, id)
    return loginMode !== 'handoff' && loginMode !== satellite.loginMode
  }
}

/** The columns to change; omitted fields stay as they are. */
function satelliteChangeOf({ ceiling, branding, ...change }: SatelliteChangeBody): SatelliteChange {
  return {
    ...change,
    ...(ceiling && {
      ceiling: permissionsOf((['dataEntry', 'viewReports'] as const).filter(name => ceiling[name])),
    }),
    ...(branding !== undefined && { branding: branding && { ...branding } }),
  }
}

/** A satellite as its account sees it. */
function asAnswer({ satellite, proof }: RegisteredSatellite): SatelliteAnswer {
  const { id, origin, name, kind, state, suspendedBy, ceiling, createdAt } = satellite
  const { loginMode, secondFactor, sessionSeconds, branding } = satellite
  return {
    id,
    origin,
    name,
    kind,
    state,
    suspendedBy,
    ceiling: { dataEntry: ceiling.dataEntry, viewReports: ceiling.viewReports },
    loginMode,
    secondFactor,
    sessionSeconds,
    branding,
    createdAt: createdAt.toISOString(),
    proof: {
      ...proofChallenge(origin, proof.token),
      expiresAt: proof.expiresAt.toISOString(),
      provenAt: proof.provenAt?.toISOString() ?? null,
      method: proof.method,
      failingSince: proof.failingSince?.toISOString() ?? null,
      suspendAt: state === 'active' ? suspendAtOf(proof) : null,
    },
  }
}

function suspendAtOf({ failingSince }: ProofRow): string | null {
  return failingSince && suspensionAfter(failingSince).toISOString()
}
