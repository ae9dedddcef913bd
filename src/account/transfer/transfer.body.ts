import { ApiProperty } from '@nestjs/swagger'
import { IsUUID } from 'class-validator'

export class TransferBody {
  @ApiProperty({ type: String, format: 'uuid', description: 'A member of the account' })
  @IsUUID()
  userId!: string
}
