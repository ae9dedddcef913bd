import { Controller, Get } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import type { Caller } from '../tokens/claims.js'
import { CurrentCaller } from '../tokens/current-caller.decorator.js'
import { DataDocs } from './data.docs.js'

@ApiTags('Data')
@ApiBearerAuth('accessToken')
@Controller('api')
export class DataController {
  /** An example of an ordinary request: authorised by signature alone, without a store. */
  @Get('data')
  @DataDocs()
  read(@CurrentCaller() { userId, accountId, permissions }: Caller) {
    return { userId, accountId, permissions }
  }
}
