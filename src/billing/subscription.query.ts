import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsOptional, IsString, Matches } from 'class-validator'

export class SubscriptionQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'The `checkout` of the address that the browser came back to, or the id at the provider',
  })
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9_-]{1,255}$/)
  checkout?: string
}
