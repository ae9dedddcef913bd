import { Controller, Get } from '@nestjs/common'
import type { Caller } from '../tokens/claims.js'
import { CurrentCaller } from '../tokens/current-caller.decorator.js'

@Controller('api')
export class DataController {
  /** The example of an ordinary request: by signature alone, no store is asked. */
  @Get('data')
  read(@CurrentCaller() { userId, accountId, permissions }: Caller) {
    return { userId, accountId, permissions }
  }
}
