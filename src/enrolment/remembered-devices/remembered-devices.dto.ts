import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../../platform/http/endpoint.js'

class RememberedDeviceAnswer {
  @ApiProperty({ type: String, format: 'uuid' })
  id!: string

  @ApiProperty({ type: String, description: 'As it identified itself', example: 'Firefox on Linux' })
  name!: string

  @ApiProperty({ type: String, format: 'date-time' })
  createdAt!: string

  @ApiProperty({ type: String, format: 'date-time', description: 'The latest login without a second factor' })
  lastUsedAt!: string

  @ApiProperty({
    type: String,
    format: 'date-time',
    description: 'When a second factor is asked for again; use does not extend it',
  })
  expiresAt!: string

  @ApiProperty({ type: Boolean, description: 'Whether it is the browser that asks' })
  isCurrent!: boolean
}

class RememberedDevicesAnswer {
  @ApiProperty({ type: [RememberedDeviceAnswer], description: 'The newest first' })
  devices!: RememberedDeviceAnswer[]
}

export const ListDevicesDocs = () =>
  Documented({
    summary: 'List the browsers that are not asked for a second factor',
    status: 200,
    answer: 'At most 20',
    type: RememberedDevicesAnswer,
  })

export const ForgetDeviceDocs = () =>
  Documented({
    summary: 'Ask a browser for a second factor again',
    description: 'Safe to repeat; the same for an id that is unknown.',
    status: 204,
    answer: 'It is not remembered any more',
    refusals: ['NOT_FOUND'],
  })

export const ForgetDevicesDocs = () =>
  Documented({
    summary: 'Ask every browser for a second factor again',
    status: 204,
    answer: 'None is remembered any more; the cookie of this one is cleared',
  })
