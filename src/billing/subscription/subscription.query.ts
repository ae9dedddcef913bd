import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional, IsString, Matches } from 'class-validator'

export class SubscriptionQuery {
  @ApiPropertyOptional({
    type: String,
    description:
      "The `checkout` parameter that the browser came back with, or the provider's id of the checkout",
  })
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9_-]{1,255}$/)
  checkout?: string

  @ApiPropertyOptional({
    enum: ['closed'],
    description: 'The `portal` parameter that the browser came back with',
  })
  @IsOptional()
  @IsIn(['closed'])
  portal?: 'closed'
}
