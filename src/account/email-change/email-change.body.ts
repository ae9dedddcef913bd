import { ApiProperty } from '@nestjs/swagger'
import { type Email, IsEmailAddress } from '../../users/email.js'

export class EmailChangeBody {
  @ApiProperty({
    type: String,
    format: 'email',
    maxLength: 254,
    description: 'The new address',
    example: 'rosa@example.org',
  })
  @IsEmailAddress()
  email!: Email
}
