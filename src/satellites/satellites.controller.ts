import { applyDecorators, Body, Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import { IsInt, IsUrl, Matches, Max, MaxLength, Min, ValidateBy } from 'class-validator'
import {
  LOGIN_MODES,
  type LoginMode,
  SECOND_FACTOR_PLACES,
  type SecondFactorPlace,
} from '../cors/satellite.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import {
  type About,
  Flag,
  field,
  Id,
  Instant,
  ListOf,
  Nested,
  OneOf,
  Text,
  Url,
} from '../platform/http/fields.js'
import { IdInPath } from '../platform/http/request.js'
import { named } from '../platform/http/validation.js'
import { permissionsOf } from '../platform/permissions.js'
import { ContainsDamage, MainSite } from '../sessions/guards.js'
import { IdleSeconds } from '../sessions/idle-seconds.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { Name } from '../users/name-text.js'
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

const LogoUrl = () =>
  field(
    { type: String, format: 'uri', maxLength: MAX_LOGO_URL_LENGTH },
    { nullable: true },
    MaxLength(MAX_LOGO_URL_LENGTH),
    // Pages put the logo's origin into their policy. The platform reads some characters, such as the Greek question
    // mark, as ones that separate directives there.
    ValidateBy({
      name: 'hasPlainOrigin',
      validator: {
        validate: (value: string) => /^https:\/\/[a-z0-9.-]+(:\d+)?$/.test(URL.parse(value)?.origin ?? ''),
      },
    }),
    Matches(/^\P{C}+$/u, named('NOT_A_LOGO')),
    IsUrl({ protocols: ['https'], require_protocol: true, disallow_auth: true }, named('NOT_A_LOGO')),
  )

const Color = (about: About) =>
  field({ type: String }, about, Matches(/^#[0-9a-f]{6}$/, named('NOT_A_COLOR')))

const SECONDS = { min: 10 * 60, max: 30 * 24 * 60 * 60 }

class SatelliteBody {
  @Text({
    max: MAX_ORIGIN_LENGTH,
    example: 'https://shop.example.net',
    description:
      'As browsers send it; of a preview satellite a pattern, such as `https://*.preview.example.net`',
  })
  origin!: string

  @Name() name!: string
  @OneOf(['production', 'preview'], { optional: true, default: 'production' }) kind?: 'production' | 'preview'
}

class CeilingBody {
  @Flag() dataEntry!: boolean
  @Flag() viewReports!: boolean
}

class BrandingBody {
  @Name() name!: string
  @LogoUrl() logoUrl!: string | null
  @Color({ example: '#1d4ed8', description: 'Colour of buttons and links' }) accent!: string
  @Color({ example: '#f8fafc', description: 'Background colour of the page' }) background!: string
}

class SatelliteChangeBody {
  @Name({ optional: true }) name?: string

  @Nested(CeilingBody, { optional: true, description: 'The maximum permissions of its sessions' })
  ceiling?: CeilingBody

  @OneOf(LOGIN_MODES, { optional: true }) loginMode?: LoginMode

  @OneOf(SECOND_FACTOR_PLACES, {
    optional: true,
    description:
      'Whether users may type their second factor on its pages. With `handoff`, those who have one log in through the main site',
  })
  secondFactor?: SecondFactorPlace

  @field(
    { type: Number, minimum: SECONDS.min, maximum: SECONDS.max },
    {
      optional: true,
      nullable: true,
      description: 'How long sessions live that begin from now on; null is what the service has for all',
    },
    Max(SECONDS.max),
    Min(SECONDS.min),
    IsInt(),
  )
  sessionSeconds?: number | null

  @IdleSeconds({
    optional: true,
    description:
      'Idle timeout: after how long without a refresh its sessions are over; at least twice the life of an access token. The strictest of the service, the account and the satellite counts; null sets none here',
  })
  idleSeconds?: number | null

  @Nested(BrandingBody, { optional: true, nullable: true }) branding?: BrandingBody | null
}

class DnsProof {
  @Text({ example: '_mainstay-challenge.shop.example.net' }) name!: string
  @Text({ description: 'The content of its TXT record' }) value!: string
}

class FileProof {
  @Url() url!: string
  @Text() content!: string
}

class ProofAnswer {
  @Nested(DnsProof) dns!: DnsProof
  @Nested(FileProof, { nullable: true, description: 'Null for preview satellites' }) file!: FileProof | null
  @Instant({ description: 'Until when it counts for a pending satellite' }) expiresAt!: string
  @Instant({ nullable: true, description: 'When it was last found' }) provenAt!: string | null

  @OneOf(['dns', 'file', 'operator'], {
    nullable: true,
    description:
      'Where it was last found; `operator`: an operator vouches for the satellite, and nothing is looked up',
  })
  method!: string | null

  @Instant({ nullable: true, description: 'Since when the daily check has not found it' })
  failingSince!: string | null

  @Instant({
    nullable: true,
    description: 'When an active satellite is suspended if it stays missing; null when it is not missing',
  })
  suspendAt!: string | null
}

class SatelliteAnswer {
  @Id() id!: string
  @Text() origin!: string
  @Text() name!: string
  @OneOf(['production', 'preview']) kind!: string
  @OneOf(['pending', 'active', 'suspended']) state!: string

  @OneOf(['account', 'check', 'operator'], {
    nullable: true,
    description:
      'Who has suspended it: a user of the account, the daily check that did not find the proof, or an operator; null unless it is suspended',
  })
  suspendedBy!: string | null

  @Nested(CeilingBody) ceiling!: CeilingBody
  @OneOf(LOGIN_MODES) loginMode!: string
  @OneOf(SECOND_FACTOR_PLACES) secondFactor!: string
  @ApiProperty({ type: Number, nullable: true }) sessionSeconds!: number | null
  @IdleSeconds() idleSeconds!: number | null
  @Nested(BrandingBody, { nullable: true }) branding!: object | null
  @Instant() createdAt!: string
  @Nested(ProofAnswer) proof!: ProofAnswer
}

class SatellitesAnswer {
  @ListOf(SatelliteAnswer, { description: 'Oldest first' }) satellites!: SatelliteAnswer[]
}

const Verifies = (summary: string) =>
  applyDecorators(
    ApiOperation({
      summary,
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
  @Verifies('Prove a satellite')
  async verify(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return asAnswer(await this.verification.verify(actor, id))
  }

  @ContainsDamage()
  @Post(':id/suspend')
  @ApiOperation({
    summary: 'Suspend a satellite',
    description:
      'Its pages are refused within two seconds, and the refresh of its sessions is 401. Other sites are not affected.',
  })
  @Answers(204, 'Suspended')
  @Refuses('SATELLITE_PENDING')
  suspend(@CurrentActor() actor: SessionActor, @Param('id', IdInPath) id: string) {
    return this.registry.suspend(actor, id)
  }

  /** Needs the same proof as at first: an account that has lost the host meanwhile does not get it back. */
  @Post(':id/resume')
  @Verifies('Resume a satellite')
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
  const { loginMode, secondFactor, sessionSeconds, idleSeconds, branding } = satellite
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
    idleSeconds,
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
