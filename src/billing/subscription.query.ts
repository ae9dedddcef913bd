import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional, IsString, Matches } from 'class-validator'

export class SubscriptionQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'The `checkout` of the address that the browser came back to, or the id at the provider',
  })
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9_-]{1,255}$/)
  checkout?: string

  @ApiPropertyOptional({
    enum: ['closed'],
    description: 'The `portal` of the address that the browser came back to',
  })
  @IsOptional()
  @IsIn(['closed'])
  portal?: 'closed'
}
