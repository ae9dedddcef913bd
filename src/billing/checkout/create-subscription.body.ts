import { ApiPropertyOptional } from '@nestjs/swagger'
import { IsString, MaxLength, ValidateIf } from 'class-validator'

/** May be absent but not null, which would be a second way to say the same. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined)

export class CreateSubscriptionBody {
  @ApiPropertyOptional({ type: String, example: 'price_monthly' })
  /** One of STRIPE_PRICE_IDS; the first of them when absent. */
  @IfPresent()
  @IsString()
  @MaxLength(255)
  priceId?: string

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    example: 'https://shop-one.example.net/thanks',
  })
  /** Where the browser goes afterwards; the main site by default. */
  @IfPresent()
  @IsString()
  return?: string
}
