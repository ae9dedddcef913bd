import { Injectable, type PipeTransform } from '@nestjs/common'
import { ApiError } from '../errors/api-error.js'

/** As we hand it out, byte for byte. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A path with an id that cannot be one of ours leads nowhere: `NOT_FOUND` (404), as for ids that we do not know. */
@Injectable()
export class IdInPath implements PipeTransform<string, string> {
  transform(text: string): string {
    if (!UUID.test(text)) throw new ApiError('NOT_FOUND')
    return text
  }
}
