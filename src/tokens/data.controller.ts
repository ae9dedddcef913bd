import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Controller, Get } from '@nestjs/common'
import { ApiProperty, ApiTags } from '@nestjs/swagger'
import { Documented } from '../platform/http/endpoint.js'
import { PERMISSIONS, type Permissions, permissionsOf } from '../platform/permissions.js'
import { CurrentCaller } from './jwt.guard.js'

class DataAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  userId!: string

  @ApiProperty({ type: String, format: 'uuid' })
  accountId!: string

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map(name => [name, { type: 'boolean' }])),
    example: permissionsOf(['dataEntry', 'viewReports']),
  })
  permissions!: Permissions
}

const DataDocs = () =>
  Documented({
    summary: 'Who is calling, and what they may do',
    description: "An example of an ordinary request, authorised by the access token's signature alone.",
    status: 200,
    answer: 'What the access token says',
    type: DataAnswer,
  })

@ApiTags('Data')
@Controller('api')
export class DataController {
  /** An example of an ordinary request: authorised by signature alone, without a store. */
  @Get('data')
  @DataDocs()
  read(@CurrentCaller() { userId, accountId, permissions }: Caller) {
    return { userId, accountId, permissions }
  }
}
