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
import { IfPresent, named } from '../platform/http/validation.js'
import { permissionsOf } from '../platform/permissions.js'
import { IsName } from '../users/name-text.js'
import type { SatelliteChange } from './registered-satellites.js'

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

/** The columns to change; omitted fields stay as they are. */
export function satelliteChangeOf({ ceiling, branding, ...change }: SatelliteChangeBody): SatelliteChange {
  return {
    ...change,
    ...(ceiling && {
      ceiling: permissionsOf((['dataEntry', 'viewReports'] as const).filter(name => ceiling[name])),
    }),
    ...(branding !== undefined && { branding: branding && { ...branding } }),
  }
}
