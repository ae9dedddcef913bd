import { IsString, MaxLength, ValidateIf } from 'class-validator'

/** Absent is fine, null is not: it would be one more way to say the same. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined)

export class CreateSubscriptionBody {
  /** One of STRIPE_PRICE_IDS; the first of them when absent. */
  @IfPresent()
  @IsString()
  @MaxLength(255)
  priceId?: string

  /** Where the browser goes afterwards; the main site when absent. */
  @IfPresent()
  @IsString()
  return?: string
}
