import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Controller, Get } from '@nestjs/common'
import { ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger'
import { Answers } from '../platform/http/endpoint.js'
import { Id } from '../platform/http/fields.js'
import { PERMISSIONS, type Permissions, permissionsOf } from '../platform/permissions.js'
import { CurrentCaller } from './jwt.guard.js'

class DataAnswer {
  @Id() userId!: string
  @Id() accountId!: string

  @ApiProperty({
    type: 'object',
    properties: Object.fromEntries(PERMISSIONS.map(name => [name, { type: 'boolean' }])),
    example: permissionsOf(['dataEntry', 'viewReports']),
  })
  permissions!: Permissions
}

@ApiTags('Data')
@Controller('api')
export class DataController {
  /** An example of an ordinary request: authorised by signature alone, without a store. */
  @Get('data')
  @ApiOperation({
    summary: 'Who is calling, and what they may do',
    description: "An example of an ordinary request, authorised by the access token's signature alone.",
  })
  @Answers(200, 'What the access token says', DataAnswer)
  read(@CurrentCaller() { userId, accountId, permissions }: Caller) {
    return { userId, accountId, permissions }
  }
}
