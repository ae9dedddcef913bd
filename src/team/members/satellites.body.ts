import { applyDecorators } from '@nestjs/common'
import { ApiProperty } from '@nestjs/swagger'
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsString,
  MaxLength,
  ValidateIf,
} from 'class-validator'

const MAX_SATELLITES = 50
/** Longer than any host name allows. */
const MAX_ORIGIN_LENGTH = 300

/**
 * For body fields: origins of satellites, or null for all. {@link AllowedSatellites} checks whether they are
 * ours.
 */
export function IsSatellites({ required }: { required: boolean }): PropertyDecorator {
  return applyDecorators(
    ApiProperty({
      type: [String],
      required,
      nullable: true,
      minItems: 1,
      maxItems: MAX_SATELLITES,
      uniqueItems: true,
      description: 'Origins; null means all satellites',
      example: ['https://shop-one.example.net'],
    }),
    ValidateIf((_, value) => value !== null && (required || value !== undefined)),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_SATELLITES),
    ArrayUnique(),
    IsString({ each: true }),
    MaxLength(MAX_ORIGIN_LENGTH, { each: true }),
  )
}

export class SatellitesBody {
  @IsSatellites({ required: true })
  satellites!: string[] | null
}
