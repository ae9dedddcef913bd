import { ApiProperty } from '@nestjs/swagger'
import { IsEmailAddress } from '../accounts/email.js'

export class EmailChangeBody {
  @ApiProperty({
    type: String,
    format: 'email',
    maxLength: 254,
    description: 'The new address',
    example: 'rosa@example.org',
  })
  @IsEmailAddress()
  email!: string
}
