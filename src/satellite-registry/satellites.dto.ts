import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
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
  ValidateIf,
  ValidateNested,
} from 'class-validator'
import type { ErrorCode } from '../errors/error-codes.js'
import { BODY_REFUSALS, Documented } from '../http/documented.js'
import { permissionsOf } from '../permissions/permissions.js'
import { type ProofChallenge, proofChallenge } from '../satellites/proof/proof-challenge.js'
import { LOGIN_MODES, type LoginMode } from '../satellites/satellite.js'
import { IsName } from '../users/name-text.js'
import type { RegisteredSatellite, SatelliteChange } from './registered-satellites.js'

const MAX_ORIGIN_LENGTH = 300
const MAX_LOGO_URL_LENGTH = 500
const SECONDS = { min: 10 * 60, max: 30 * 24 * 60 * 60 }

/** For fields that may be left out, and then stay as they are. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined)

export class SatelliteBody {
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

export class CeilingBody {
  @ApiProperty({ type: Boolean })
  @IsBoolean()
  dataEntry!: boolean

  @ApiProperty({ type: Boolean })
  @IsBoolean()
  viewReports!: boolean
}

export class BrandingBody {
  @IsName({ required: true })
  name!: string

  @ApiProperty({ type: String, format: 'uri', nullable: true, maxLength: MAX_LOGO_URL_LENGTH })
  @ValidateIf((_, value) => value !== null)
  @IsUrl({ protocols: ['https'], require_protocol: true })
  @MaxLength(MAX_LOGO_URL_LENGTH)
  logoUrl!: string | null

  @ApiProperty({ type: String, example: '#1d4ed8', description: 'Of buttons and links' })
  @Matches(/^#[0-9a-f]{6}$/, { message: '$property must be a colour such as #1d4ed8' })
  accent!: string

  @ApiProperty({ type: String, example: '#f8fafc', description: 'Of the page' })
  @Matches(/^#[0-9a-f]{6}$/, { message: '$property must be a colour such as #f8fafc' })
  background!: string
}

export class SatelliteChangeBody {
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

/** What the change says about the row: nothing of what it leaves out. */
export function satelliteChangeOf({ ceiling, branding, ...change }: SatelliteChangeBody): SatelliteChange {
  return {
    ...change,
    ...(ceiling && {
      ceiling: permissionsOf([
        ...(ceiling.dataEntry ? (['dataEntry'] as const) : []),
        ...(ceiling.viewReports ? (['viewReports'] as const) : []),
      ]),
    }),
    ...(branding !== undefined && { branding: branding && { ...branding } }),
  }
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
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Since when the daily check has not found it; after 7 days the satellite is suspended',
  })
  failingSince!: string | null
}

export class SatelliteAnswer {
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

  @ApiProperty({ type: CeilingBody })
  ceiling!: CeilingBody

  @ApiProperty({ enum: LOGIN_MODES })
  loginMode!: string

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

/** A satellite as its account sees it. */
export function asAnswer({ satellite, proof }: RegisteredSatellite): SatelliteAnswer {
  const { id, origin, name, kind, state, ceiling, loginMode, sessionSeconds, branding, createdAt } = satellite
  const challenge: ProofChallenge = proofChallenge(origin, proof.token)
  return {
    id,
    origin,
    name,
    kind,
    state,
    ceiling: { dataEntry: ceiling.dataEntry, viewReports: ceiling.viewReports },
    loginMode,
    sessionSeconds,
    branding,
    createdAt: createdAt.toISOString(),
    proof: {
      ...challenge,
      expiresAt: proof.expiresAt.toISOString(),
      provenAt: proof.provenAt?.toISOString() ?? null,
      failingSince: proof.failingSince?.toISOString() ?? null,
    },
  }
}

const COMMON: readonly ErrorCode[] = ['DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE']

export const ListSatellitesDocs = () =>
  Documented({
    summary: 'List the satellites of the account',
    status: 200,
    answer: 'All of them, with what proves each',
    type: SatellitesAnswer,
    refusals: [...COMMON],
  })

export const AddSatelliteDocs = () =>
  Documented({
    summary: 'Add a satellite',
    description:
      'It is `pending`, and its pages are refused, until the account has proven that the host is its own: by the TXT record or the ' +
      'file in `proof`. `https`, port 443 and a name of its own are required; names that many share, such as `github.io`, and IP addresses are refused.',
    status: 201,
    answer: 'Added; `proof` says what to publish',
    type: SatelliteAnswer,
    refusals: [...BODY_REFUSALS, 'ORIGIN_TAKEN', 'TOO_MANY_SATELLITES', ...COMMON],
  })

export const FindSatelliteDocs = () =>
  Documented({
    summary: 'Get one satellite',
    status: 200,
    answer: 'The satellite',
    type: SatelliteAnswer,
    refusals: ['NOT_FOUND', ...COMMON],
  })

export const ChangeSatelliteDocs = () =>
  Documented({
    summary: 'Change a satellite',
    description:
      'Changes what the body has and nothing else. Live on every replica within two seconds; permissions of running sessions change at their next refresh.',
    status: 200,
    answer: 'The changed satellite',
    type: SatelliteAnswer,
    refusals: [...BODY_REFUSALS, 'NOT_FOUND', ...COMMON],
  })

export const RemoveSatelliteDocs = () =>
  Documented({
    summary: 'Remove a satellite',
    description: 'Its pages are refused within two seconds, and its sessions cannot be refreshed any longer.',
    status: 204,
    answer: 'Removed',
    refusals: ['NOT_FOUND', ...COMMON],
  })

export const VerifySatelliteDocs = () =>
  Documented({
    summary: 'Prove a satellite',
    description:
      'Looks for the record and the file now, and activates the satellite, or resumes a suspended one. `PROOF_NOT_FOUND` says in ' +
      '`errors` what was looked up and what came back. An origin moves here when the account that had it can no longer prove it.',
    status: 200,
    answer: 'The active satellite',
    type: SatelliteAnswer,
    refusals: [
      'NOT_FOUND',
      'PROOF_NOT_FOUND',
      'PROOF_EXPIRED',
      'ORIGIN_TAKEN',
      'TOO_MANY_ATTEMPTS',
      ...COMMON,
    ],
  })

export const SuspendSatelliteDocs = () =>
  Documented({
    summary: 'Suspend a satellite',
    description:
      'Its pages are refused within two seconds, and the refresh of its sessions is 401. Everybody else notices nothing.',
    status: 204,
    answer: 'Suspended',
    refusals: ['NOT_FOUND', 'SATELLITE_PENDING', ...COMMON],
  })
