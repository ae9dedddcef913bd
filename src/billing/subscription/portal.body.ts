import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsString, ValidateIf } from 'class-validator'

export class PortalBody {
  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    example: 'https://www.example.com/account',
  })
  /** Where the browser goes afterwards; the main site by default. */
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  return?: string
}
