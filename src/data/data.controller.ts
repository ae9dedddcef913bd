import { Controller, Get } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import type { Caller } from '../tokens/claims.js'
import { CurrentCaller } from '../tokens/current-caller.decorator.js'
import { DataDocs } from './data.dto.js'

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
